package org.tamanoir.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The last lines that a program wrote, read by a thread of its own, so that the program never waits for its reader. Bounded: of a
 * program that writes more than is asked for, the oldest lines are forgotten and a longer line is cut.
 */
final class OutputTail {
    private static final int MAX_LINE = 16_384;

    private final Deque<String> lines = new ArrayDeque<>();
    private final int maxLines;
    private final Thread reader;
    private boolean ended;

    OutputTail(InputStream stream, int maxLines, String name) {
        this.maxLines = maxLines;
        this.reader = new Thread(() -> read(stream), name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream stream) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n') {
                    add(line.toString());
                    line.setLength(0);
                } else if (line.length() < MAX_LINE) {
                    line.append((char) c);
                }
            }
            if (line.length() > 0) {
                add(line.toString());
            }
        } catch (IOException | UncheckedIOException e) {
            add("(reading ended: " + e.getMessage() + ")");
        } finally {
            synchronized (this) {
                ended = true;
                notifyAll();
            }
        }
    }

    private synchronized void add(String line) {
        if (lines.size() == maxLines) {
            lines.removeFirst();
        }
        lines.addLast(line);
        notifyAll();
    }

    /** The oldest line not yet taken, or null if none came in time or the program has closed its output. */
    synchronized String take(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (lines.isEmpty() && !ended) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            wait(left / 1_000_000 + 1);
        }
        return lines.pollFirst();
    }

    /** Waits until the program has closed its output, or the patience is over. */
    synchronized void awaitEnd(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        for (long left = end - System.nanoTime(); !ended && left > 0; left = end - System.nanoTime()) {
            wait(left / 1_000_000 + 1);
        }
    }

    /** What is kept and not taken, as one text. */
    synchronized String text() {
        return String.join("\n", List.copyOf(lines));
    }
}
