package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of the processes that this one has started and that have ended ({@code proc(5)}, fields 16 and 17 of {@code stat}). */
final class ChildTime {
    private static final double TICKS = 100;

    private ChildTime() {
    }

    /** Seconds, user and system, in steps of a hundredth. */
    static double seconds() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            // The program's name in field 2 may hold blanks: count from its closing bracket.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
