package org.tamanoir.benchmarks.paper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.lab.LabException;

/** A page in Markdown of which one part is made from a run. */
public final class PaperPage {
    public static final String BEGIN = "<!-- paper: begin -->";
    public static final String END = "<!-- paper: end -->";

    private final Path file;
    private final String before;
    private final String after;

    private PaperPage(Path file, String before, String after) {
        this.file = file;
        this.before = before;
        this.after = after;
    }

    /** @throws LabException if there is no such page, or no marks are in it: better before a quarter of an hour than behind it */
    public static PaperPage read(Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new LabException("cannot read the page " + file + ": " + e, e);
        }
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new LabException("the page " + file + " has no marks " + BEGIN + " and " + END);
        }
        return new PaperPage(file, text.substring(0, begin + BEGIN.length()), text.substring(end));
    }

    /** Writes it anew. @param figures the folder with the charts */
    public void write(Findings found, Path figures) {
        String folder = file.toAbsolutePath().normalize().getParent().relativize(figures.toAbsolutePath().normalize()).toString();
        StringBuilder text = new StringBuilder(before).append("\n\n");
        Map<String, String> machine = found.report().machine();
        text.append("`./tamanoir bench paper`, medians: ").append(machine.get("cpus")).append(" CPUs (").append(machine.get("processor")).append("), ")
                .append(machine.get("kernel")).append(", ").append(machine.get("java")).append("; load ").append(machine.get("load")).append(".\n\n");
        for (Outcome each : found.outcomes()) {
            text.append(((PaperFigure) each).markdown(folder));
        }
        try {
            Files.writeString(file, text.append(after));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
