package org.tamanoir.benchmarks.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.copy.CopyPlan.Cell;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** Many small files beside one that is as large as all of them, over the first link of the plan. */
public final class ManyFiles extends MeasuredOutcome {
    private static final int SIZE = 100_000;
    private static final int IN_A_DIRECTORY = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(900);
    private static final double LEAST_OF_ONE = 0.8;

    private final CopyPlan plan;
    private final Cell cell;

    private ManyFiles(CopyPlan plan, Measurements measured) {
        super("small", measured);
        this.plan = plan;
        this.cell = plan.cells(plan.rtts().get(0)).get(0);
    }

    /** @throws LabException if the laboratory cannot be made */
    public static Outcome run(CopyPlan plan, Consumer<String> progress) {
        ManyFiles files = new ManyFiles(plan, new Measurements(progress));
        try (CopySite site = new CopySite(Duration.ofMillis(files.cell.rtt()), plan.control())) {
            files.run(site);
        }
        return files;
    }

    private void run(CopySite site) {
        measured.doing("making " + plan.files() + " files");
        site.become(cell);
        for (int i = 0; i < plan.files(); i++) {
            RandomFile.write(site.folder("served/many/" + i / IN_A_DIRECTORY).resolve("file" + i), SIZE, i);
        }
        Path one = site.serveFile((long) SIZE * plan.files());
        List<Copier> copiers = copiers().stream().filter(copier -> measured.attempt("the server of " + copier.name(), () -> copier.serve(site))).toList();
        measured.rounds(0, plan.rounds(), round -> Measurements.turned(copiers, round).forEach(copier -> measured.attemptAny(copier.name() + ", " + Measurements.name(round), () -> {
            Path folder = site.folder("copies");
            double alone = seconds(site, copier.copy(site, one.getFileName().toString(), folder.resolve("one"), Copier.STREAMS), one, folder.resolve("one"));
            double many = seconds(site, copier.copyTree(site, "many", folder.resolve("many"), Copier.STREAMS), site.served().resolve("many"), folder.resolve("many"));
            measured.add(key(copier, "one-file", "s"), alone);
            measured.add(key(copier, "many-files", "s"), many);
            measured.add(key(copier, "many-of-one", "ratio"), alone / many);
        })));
    }

    private List<Copier> copiers() {
        return plan.copiers().stream().filter(copier -> copier.can(Copier.Can.TREES)).toList();
    }

    private double seconds(CopySite site, List<String> command, Path from, Path to) throws IOException {
        long begun = System.nanoTime();
        try (LabProcess process = site.here().host().start("copy", command)) {
            int exit = process.awaitExit(PATIENCE);
            double seconds = (System.nanoTime() - begun) / 1e9;
            if (exit != 0) {
                throw new LabException("it ended with " + exit + ": " + process.errors().strip());
            }
            Command.run(List.of("diff", "-rq", from.toString(), to.toString()), null, PATIENCE);
            return seconds;
        } finally {
            Command.run(List.of("rm", "-rf", to.toString()), null, PATIENCE);
            Files.createDirectories(to.getParent());
        }
    }

    private Key key(Copier copier, String metric, String unit) {
        return new Key(plan.files() + " files, " + cell, copier.name(), SIZE, 0, metric, unit);
    }

    @Override
    public List<Target> targets() {
        return copiers().stream().filter(copier -> !copier.isPeer()).map(copier -> Target.atLeast(copier.name() + ": " + plan.files() + " files in parts of the rate of one file",
                samples().median(key(copier, "many-of-one", "ratio")), LEAST_OF_ONE)).toList();
    }

    @Override
    public void print(PrintWriter out) {
        new Table<Copier>(plan.files() + " files of 100 kB, " + cell, Copier::name).median("one file s", "%.1f", samples(), copier -> key(copier, "one-file", "s"))
                .median("many s", "%.1f", samples(), copier -> key(copier, "many-files", "s"))
                .median("rate of one", "%.2f", samples(), copier -> key(copier, "many-of-one", "ratio")).print(out, copiers());
    }
}
