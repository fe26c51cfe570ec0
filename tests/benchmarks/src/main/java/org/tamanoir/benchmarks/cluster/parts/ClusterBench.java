package org.tamanoir.benchmarks.cluster.parts;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.Outcome;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;

/** The chosen parts, one after the other. */
public final class ClusterBench {
    private final Map<String, String> machine;
    private final List<Outcome> outcomes;

    private ClusterBench(Map<String, String> machine, List<Outcome> outcomes) {
        this.machine = machine;
        this.outcomes = outcomes;
    }

    /** @throws LabException if the laboratory cannot be had; the message names the remedy */
    public static ClusterBench run(Set<Part> parts, ClusterPlan plan, Consumer<String> progress) {
        LabRequirements requirements = LabRequirements.check().installMissing();
        if (!requirements.met()) {
            throw new LabException(requirements.explain());
        }
        Map<String, String> machine = Machine.describe();
        List<Outcome> outcomes = new ArrayList<>();
        for (Part part : parts) {
            outcomes.add(part.run(plan, progress));
        }
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        return new ClusterBench(machine, outcomes);
    }

    public Report report() {
        return new Report(machine, outcomes.stream().flatMap(each -> each.rows().stream()).toList(),
                outcomes.stream().flatMap(each -> each.targets().stream()).toList(),
                outcomes.stream().flatMap(each -> each.failures().stream()).toList());
    }

    public void printTable(PrintWriter out) {
        outcomes.forEach(each -> each.print(out));
    }
}
