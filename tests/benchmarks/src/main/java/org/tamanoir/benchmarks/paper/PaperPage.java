package org.tamanoir.benchmarks.paper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.lab.LabException;

/** A page in Markdown of which one part is made from a run. */
public final class PaperPage {
    public static final String BEGIN = "<!-- paper: begin -->";
    public static final String END = "<!-- paper: end -->";

    private final Path file;

    /** @throws LabException if there is no such page, or no marks are in it: better before a quarter of an hour than behind it */
    public PaperPage(Path file) {
        this.file = file;
        read();
    }

    private String read() {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new LabException("cannot read the page " + file + ": " + e, e);
        }
        if (!text.contains(BEGIN) || text.indexOf(END) < text.indexOf(BEGIN)) {
            throw new LabException("the page " + file + " has no marks " + BEGIN + " and " + END);
        }
        return text;
    }

    /** Writes anew what was measured; the other figures, and the rest of the page, stay as they are now. @param figures the folder with the charts */
    public void write(Findings found, Path figures) {
        String page = read();
        String folder = file.toAbsolutePath().normalize().getParent().relativize(figures.toAbsolutePath().normalize()).toString();
        Map<String, String> sections = new TreeMap<>(Comparator.comparingInt(PaperPage::order));
        for (String section : page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)).split("(?m)^(?=### )")) {
            if (section.startsWith("### ")) {
                sections.put(section.substring(0, section.indexOf(':')), section);
            }
        }
        Map<String, String> machine = found.report().machine();
        String conditions = String.format("%s CPUs (%s), %s, %s; load %s.", machine.get("cpus"), machine.get("processor"), machine.get("kernel").replaceAll("-.*", ""), machine.get("java"), machine.get("load"));
        for (Outcome each : found.outcomes()) {
            String section = ((PaperFigure) each).markdown(folder.isEmpty() ? "" : folder + "/", conditions);
            sections.put(section.substring(0, section.indexOf(':')), section);
        }
        try {
            Files.writeString(file, page.substring(0, page.indexOf(BEGIN)) + BEGIN + "\n\n" + String.join("", sections.values()) + page.substring(page.indexOf(END)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** Figures by their number, then the table. */
    private static int order(String heading) {
        int number = Integer.parseInt(heading.replaceAll("\\D", ""));
        return heading.contains("Figure") ? number : Integer.MAX_VALUE - number;
    }
}
