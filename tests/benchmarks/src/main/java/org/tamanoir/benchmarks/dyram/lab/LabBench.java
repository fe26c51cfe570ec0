package org.tamanoir.benchmarks.dyram.lab;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Case;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Kind;
import org.tamanoir.benchmarks.dyram.lab.LabPlan.Loss;
import org.tamanoir.benchmarks.dyram.lab.TamanoirSystem.Standing;
import org.tamanoir.benchmarks.process.RandomFile;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.MulticastTestbed;

/**
 * Runs the plan in one network: every round runs every case with every system, one system directly after the other and in an order that
 * turns, so that whatever changes on the machine meanwhile changes it for all. The first rounds are cold, with every process restarted;
 * then come those that warm up what stays, which are not measured, and the warm ones. Every system runs in all of them, once a round.
 */
public final class LabBench {
    static final String GROUP = "239.1.2.3";
    /** The name of what is sent. */
    static final String FILE = "file";

    private final LabPlan plan;
    private final Measurements measurements;
    private final LabResults results;
    private final Path file;
    private final MulticastTestbed testbed;
    private final Standing standing;
    private int done;

    private LabBench(LabPlan plan, Measurements measurements, Path file, MulticastTestbed testbed, Standing standing) {
        this.plan = plan;
        this.measurements = measurements;
        this.results = new LabResults(plan, measurements.samples());
        this.file = file;
        this.testbed = testbed;
        this.standing = standing;
    }

    public record Result(Report report, Consumer<PrintWriter> table) {
    }

    /**
     * Runs it, packages and network included.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if the network cannot be made
     */
    public static Result run(LabPlan plan, Consumer<String> progress) {
        LabRequirements requirements = LabRequirements.check().installMissing();
        if (!requirements.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, requirements.explain());
        }
        Measurements measurements = new Measurements(progress);
        if (plan.systems().contains(Kind.NORM)) {
            measurements.machine().put("norm", "libnorm1 " + version("libnorm1") + ", blocks of 64 and 32");
        }
        if (plan.systems().contains(Kind.UFTP)) {
            measurements.machine().put("uftp", version("uftp"));
        }
        measurements.doing("making the network: " + plan.sites() + " sites, " + plan.expected() + " receivers");
        try (TemporaryFolder files = new TemporaryFolder(); MulticastTestbed testbed = MulticastTestbed.open(plan.sites(), plan.receivers());
                Standing standing = new Standing(testbed)) {
            LabBench bench = new LabBench(plan, measurements, files.folder("source").resolve(FILE), testbed, standing);
            bench.run();
            return new Result(measurements.report(bench.results.targets()), bench.results::print);
        }
    }

    /** Of a package, which is installed if it is missing. A package with a service of its own name leaves it off. */
    private static String version(String debianPackage) {
        List<String> query = List.of("dpkg-query", "--show", "--showformat=${Version}", debianPackage);
        Command.Result installed = Command.tryRun(query, null, Duration.ofSeconds(10));
        if (installed.exit() != 0 || installed.output().isBlank()) {
            DebianPackages.install(List.of(debianPackage), debianPackage);
            installed = Command.tryRun(query, null, Duration.ofSeconds(10));
        }
        return installed.output();
    }

    private void run() {
        if (!plan.systems().stream().allMatch(Kind::isOwn)) {
            testbed.routeMulticast(GROUP, Peers.Uftp.PRIVATE_GROUP);
        }
        for (int round = 0; round < 2 * plan.runs() + plan.warmUps(); round++) {
            boolean cold = round < plan.runs();
            // Another file each time, so that nothing that a run before has left is taken for this one's.
            RandomFile.write(file, plan.octets(), round);
            int turn = round;
            for (Loss loss : plan.losses()) {
                for (Kind kind : Measurements.turned(plan.systems(), turn++)) {
                    if (cold) {
                        standing.stop();
                    }
                    measure(round, new Case(loss, cold), kind);
                }
            }
        }
    }

    private void measure(int round, Case which, Kind kind) {
        String what = kind + ", " + which + ", round " + (round + 1);
        boolean measured = which.cold() || round >= plan.runs() + plan.warmUps();
        measurements.doing(100 * done++ / plan.count() + " %: " + what + (measured ? "" : ", to warm up"));
        try {
            LabRun.Figures figures = new LabRun(testbed, plan, file).measure(open(kind), which.loss());
            if (measured) {
                results.add(which, kind, figures);
            }
            if (!figures.missing().isEmpty()) {
                // It counts, for everybody alike, and whatever state the system is in is not the next run's.
                standing.stop();
                measurements.machine().merge("incomplete", what + ": " + String.join("; ", figures.missing()), (all, more) -> all + "\n" + more);
            }
            if (figures.identical() < figures.complete()) {
                measurements.failed(what + ": only " + figures.identical() + " of " + figures.complete() + " copies are what was sent");
            }
        } catch (LabException | AnepException e) {
            standing.stop();
            measurements.failed(what + ": " + e.getMessage());
        }
    }

    private MulticastSystem open(Kind kind) {
        return switch (kind) {
            case TAMANOIR -> new TamanoirSystem(testbed, plan, standing);
            case TAMANOIR_SITE -> new TamanoirSystem.OfSites(testbed, plan, standing);
            case NORM -> new Peers.Norm(testbed, plan);
            case UFTP -> new Peers.Uftp(testbed, plan);
        };
    }
}
