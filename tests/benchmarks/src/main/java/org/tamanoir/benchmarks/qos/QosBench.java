package org.tamanoir.benchmarks.qos;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.LabRequirements;

/** The chosen parts, one after the other. */
public final class QosBench {
    private final Map<String, String> machine;
    private final List<Outcome> outcomes;

    private QosBench(Map<String, String> machine, List<Outcome> outcomes) {
        this.machine = machine;
        this.outcomes = outcomes;
    }

    /** @throws org.tamanoir.lab.LabException if the laboratory cannot be had; the message names the remedy */
    public static QosBench run(List<Part> parts, QosPlan plan, Consumer<String> progress) {
        LabRequirements.check().installMissing();
        Map<String, String> machine = Machine.describe();
        List<Outcome> outcomes = new ArrayList<>();
        for (Part part : parts) {
            outcomes.add(part.run(plan, line -> progress.accept(part.name() + ": " + line)));
        }
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        return new QosBench(machine, outcomes);
    }

    public Report report() {
        return new Report(machine, outcomes.stream().flatMap(each -> each.rows().stream()).toList(),
                outcomes.stream().flatMap(each -> each.targets().stream()).toList(),
                outcomes.stream().flatMap(each -> each.failures().stream()).toList());
    }

    public void printTable(PrintWriter out) {
        outcomes.forEach(each -> each.print(out));
    }

    /** Writes every number into a folder, which is made if it is not there. */
    public void writeCsv(Path folder) {
        outcomes.forEach(each -> each.csv().forEach((name, text) -> write(folder, name + ".csv", text)));
    }

    /** Draws into a folder, as SVG. */
    public void plot(Path folder) {
        outcomes.forEach(each -> each.charts().forEach((name, chart) -> write(folder, name + ".svg", chart.svg())));
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
