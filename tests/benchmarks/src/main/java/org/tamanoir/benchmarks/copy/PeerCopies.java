package org.tamanoir.benchmarks.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.copy.CopyPlan.Cell;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * One file, copied by each system over each link, one system after the other in each round. The time is that of the command, its start included. Then each copies
 * it again beside a single flow, which had the link to itself before.
 */
public final class PeerCopies extends MeasuredOutcome {
    /** A single flow of a window of some megabits takes so long to have its rate. */
    private static final Duration RISE = Duration.ofSeconds(5);
    private static final Duration ALONE = Duration.ofSeconds(5);
    /** A copy of ten seconds that takes longer is one that does not end. */
    private static final Duration PATIENCE = Duration.ofSeconds(300);
    private static final double LEAST_OF_BEST = 1.0;

    private final CopyPlan plan;
    private final Map<String, String> conditions = new LinkedHashMap<>();
    private final List<Cell> cells = new ArrayList<>();
    /** The file that is served now, and its octets. */
    private Path file;

    private PeerCopies(CopyPlan plan, Measurements measured) {
        super("peers", measured);
        this.plan = plan;
    }

    /** @throws LabException if the laboratory cannot be made */
    public static Outcome run(CopyPlan plan, Consumer<String> progress) {
        PeerCopies copies = new PeerCopies(plan, new Measurements(progress));
        plan.rtts().forEach(copies::run);
        return copies;
    }

    private void run(int rtt) {
        measured.doing("making a link of " + rtt + " ms");
        try (CopySite site = new CopySite(Duration.ofMillis(rtt), plan.control())) {
            conditions.put("congestion", site.control());
            List<Copier> ready = plan.copiers().stream().filter(copier -> measured.attemptAny("the server of " + copier.name(), () -> {
                copier.serve(site);
                if (copier.isPeer()) {
                    conditions.put(copier.name(), copier.version());
                }
            })).toList();
            for (Cell cell : plan.cells(rtt)) {
                cells.add(cell);
                site.become(cell);
                file = site.serveFile(plan.octets(cell));
                measured.rounds(0, plan.rounds(), round -> round(site, cell, ready, round));
            }
        }
    }

    private void round(CopySite site, Cell cell, List<Copier> copiers, int round) {
        Map<String, Double> rates = new HashMap<>();
        for (Copier copier : Measurements.turned(copiers, round)) {
            measured.attemptAny(cell + ", " + copier.name() + ", " + Measurements.name(round), () -> {
                finishWrites();
                double rate = file.toFile().length() * 8 / copy(site, copier) / 1e6;
                measured.add(rate(cell, copier.name()), rate);
                rates.put(copier.name(), rate);
            });
        }
        double best = copiers.stream().filter(Copier::isPeer).mapToDouble(copier -> rates.getOrDefault(copier.name(), 0.0)).max().orElse(0);
        copiers.stream().filter(copier -> best > 0 && rates.containsKey(copier.name()))
                .forEach(copier -> measured.add(ofBest(cell, copier.name()), rates.get(copier.name()) / best));
        for (String control : plan.beside()) {
            beside(site, cell, copiers, round, control);
        }
    }

    /** Whoever waits for the disk would wait for what others, which do not, have left to be written. */
    private static void finishWrites() {
        Command.run(List.of("sync"));
    }

    /** Copies the file once. @return seconds @throws LabException if it failed, or is not what it should be */
    private double copy(CopySite site, Copier copier) throws IOException {
        Path to = site.folder("copies").resolve("copy");
        long lost = site.lostByMachine();
        double seconds;
        try {
            long begun = System.nanoTime();
            try (LabProcess process = site.here().host().start(copier.name(), copier.copy(site, file.getFileName().toString(), to, Copier.STREAMS))) {
                int exit = process.awaitExit(PATIENCE);
                seconds = (System.nanoTime() - begun) / 1e9;
                if (exit != 0) {
                    throw new LabException("it ended with " + exit + ": " + process.errors().strip() + " " + process.output().strip());
                }
            }
            if (Files.mismatch(file, to) >= 0) {
                throw new LabException("the copy is not what was there");
            }
        } finally {
            Files.deleteIfExists(to);
        }
        if (site.lostByMachine() > lost) {
            throw new LabException("this machine was too busy for the run to count: " + (site.lostByMachine() - lost) + " frames were lost by it, and not by the link");
        }
        return seconds;
    }

    private void beside(CopySite site, Cell cell, List<Copier> copiers, int round, String control) {
        for (Copier copier : Measurements.turned(copiers, round)) {
            measured.attemptAny(cell + ", " + copier.name() + " beside " + control + ", " + Measurements.name(round), () -> {
                finishWrites();
                Flows.Flow flow = site.beginFlows(control, 1, RISE.plus(ALONE).plus(PATIENCE)).get(0);
                try {
                    long begun = System.nanoTime();
                    Pause.of(RISE.plus(ALONE));
                    double from = (System.nanoTime() - begun) / 1e9;
                    copy(site, copier);
                    double to = (System.nanoTime() - begun) / 1e9;
                    double alone = site.flowRate(RISE.toSeconds(), from);
                    double together = site.flowRate(from, to);
                    measured.add(new Key(cell.toString(), copier.name(), 0, 0, control + "-alone", "Mbit/s"), alone / 1e6);
                    measured.add(kept(cell, copier.name(), control), together / alone);
                } finally {
                    flow.end();
                }
            });
        }
    }

    private static Key rate(Cell cell, String system) {
        return new Key(cell.toString(), system, 0, 0, "rate", "Mbit/s");
    }

    private static Key ofBest(Cell cell, String system) {
        return new Key(cell.toString(), system, 0, 0, "of-best-peer", "ratio");
    }

    private static Key kept(Cell cell, String system, String control) {
        return new Key(cell.toString(), system, 0, 0, control + "-keeps", "ratio");
    }

    @Override
    public Map<String, String> conditions() {
        return conditions;
    }

    @Override
    public List<Target> targets() {
        return cells.stream().map(cell -> Target.atLeast(cell + ": tamanoir in parts of the best peer", samples().median(ofBest(cell, "tamanoir")), LEAST_OF_BEST)).toList();
    }

    @Override
    public void print(PrintWriter out) {
        for (Cell cell : cells) {
            Table<String> table = new Table<String>(cell.toString(), name -> name).median("Mbit/s", "%.1f", samples(), name -> rate(cell, name))
                    .median("of best peer", "%.2f", samples(), name -> ofBest(cell, name));
            plan.beside().forEach(control -> table.median(control + " keeps", "%.2f", samples(), name -> kept(cell, name, control)));
            table.print(out, plan.copiers().stream().map(Copier::name)
                    .sorted(Comparator.comparingDouble(name -> samples().median(rate(cell, name)) == null ? 0 : -samples().median(rate(cell, name)))).toList());
        }
        out.printf("%nRates are octets of the file in the time of the command, its start included. Before each everything written was on the disk. Medians of %s; each copy was compared.%n", plan.rounds() == 1 ? "1 round" : plan.rounds() + " rounds");
    }
}
