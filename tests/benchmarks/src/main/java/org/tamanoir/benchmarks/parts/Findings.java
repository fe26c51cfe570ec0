package org.tamanoir.benchmarks.parts;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;

/** What the parts have found that were measured, as one. */
public final class Findings {
    private final Map<String, String> machine;
    private final List<Outcome> outcomes;

    Findings(Map<String, String> machine, List<Outcome> outcomes) {
        this.machine = machine;
        this.outcomes = outcomes;
    }

    /** Of something that has no other parts. */
    public static Findings of(Outcome outcome) {
        return new Findings(Machine.describe(), List.of(outcome));
    }

    public List<Outcome> outcomes() {
        return outcomes;
    }

    public Report report() {
        return new Report(machine, outcomes.stream().flatMap(each -> each.rows().stream()).toList(),
                outcomes.stream().flatMap(each -> each.targets().stream()).toList(),
                outcomes.stream().flatMap(each -> each.failures().stream()).toList());
    }

    public void printTable(PrintWriter out) {
        outcomes.forEach(each -> each.print(out));
    }

    /** Writes every number into a folder, which is made if it is not there. @param folder null for none */
    public void writeCsv(Path folder) {
        if (folder != null) {
            outcomes.forEach(each -> each.csv().forEach((name, text) -> write(folder, name + ".csv", text)));
        }
    }

    /** Draws into a folder, as SVG. @param folder null for none */
    public void plot(Path folder) {
        if (folder != null) {
            outcomes.forEach(each -> each.charts().forEach((name, chart) -> chart.write(folder.resolve(name + ".svg"))));
        }
    }

    private static void write(Path folder, String name, String content) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + folder.resolve(name), e);
        }
    }
}
