package org.tamanoir.benchmarks.deploy;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.load.FirstOctet;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/** Measures what a stream waits for its service, in rounds of new processes. */
public final class DeployBench {
    private static final double MAX_FROM_REPOSITORY = 150;
    private static final double MAX_FROM_STORE = 20;
    private static final double MAX_ACTIVE = 1;
    private static final int WARM_UP_STREAMS = 200;

    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final Consumer<String> progress;

    /** @param progress told what is being done, a line at a time */
    public DeployBench(Consumer<String> progress) {
        this.progress = progress;
    }

    /**
     * Runs it.
     *
     * @param signed whether bundles are signed and nodes run only what is
     * @throws LabException if nothing can be measured here at all
     */
    public Report run(int rounds, boolean signed) {
        Map<String, String> machine = new LinkedHashMap<>(Machine.describe());
        String loadBefore = machine.get("load");
        try (FirstOctet probe = new FirstOctet()) {
            probe.warmUp(WARM_UP_STREAMS);
            for (int i = 1; i <= rounds; i++) {
                round(i, rounds, signed, probe);
            }
        } catch (IOException e) {
            throw new LabException("streams cannot be opened here: " + e, e);
        }
        machine.put("bundles", signed ? "signed, and checked by the nodes" : "not signed");
        machine.put("load", loadBefore + " before, " + Machine.load() + " after");
        return new Report(machine, samples.rows(), targets(), List.copyOf(failures));
    }

    private void round(int number, int rounds, boolean signed, FirstOctet probe) {
        String title = "round " + number + " of " + rounds;
        try (DeployRound round = new DeployRound(signed, probe, samples, step -> progress.accept(title + ", " + step))) {
            round.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        } catch (LabException | AnepException | IOException e) {
            failures.add(title + ": " + e.getMessage());
        }
    }

    private List<Target> targets() {
        return List.of(
                Target.atMost("from a repository into a new process, ms that the stream waits",
                        samples.median(Wait.REPOSITORY.waited(DeployServices.COLD)), MAX_FROM_REPOSITORY),
                Target.atMost("from the store after a restart, ms that the stream waits",
                        samples.median(Wait.STORE.waited(DeployServices.COLD)), MAX_FROM_STORE),
                Target.atMost("active, ms to the first octet more than without a service",
                        samples.median(Wait.ACTIVE.key(DeployServices.WARM, "more-than-without")), MAX_ACTIVE));
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        out.printf("%n%-20s %-10s %-18s %10s %-4s %10s %10s %6s%n", "case", "process", "metric", "median", "", "least", "most", "of");
        for (Row row : samples.rows()) {
            out.printf("%-20s %-10s %-18s %10.2f %-4s %10.2f %10.2f %6d%n", row.benchCase(), row.system(), row.metric(), row.value(),
                    row.unit(), row.low(), row.high(), row.runs());
        }
    }
}
