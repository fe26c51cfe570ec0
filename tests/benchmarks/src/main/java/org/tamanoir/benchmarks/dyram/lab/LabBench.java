package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.NativeTool;

/**
 * Runs the plan in one network: every round runs every case with every system, one system directly after the other and in an order that
 * turns, so that whatever changes on the machine meanwhile changes it for all. The first rounds are cold, with every process restarted;
 * then come those that warm up what stays, which are not measured, and the warm ones. Every system runs in all of them.
 */
final class LabBench implements AutoCloseable {
    static final String GROUP = "239.1.2.3";
    private static final String NAME = "file";

    private final LabPlan plan;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final TemporaryFolder files = new TemporaryFolder();
    private final Path file = files.folder("source").resolve(NAME);
    private final MulticastTestbed testbed;
    private final MulticastNodes nodes;
    private final StandingPrograms programs;
    private int done;

    /** @param progress told what is being done, a line at a time */
    LabBench(LabPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
        progress.accept("making the network: " + plan.sites() + " sites, " + plan.expected() + " receivers");
        try {
            testbed = MulticastTestbed.open(plan.sites(), plan.receivers());
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
        nodes = new MulticastNodes(testbed);
        programs = new StandingPrograms(testbed, TamanoirSystem.GROUP);
    }

    /** @throws LabException if the network cannot be finished */
    void run() {
        if (plan.systems().stream().anyMatch(kind -> !kind.isOwn())) {
            testbed.routeMulticast(GROUP, UftpSystem.PRIVATE_GROUP);
        }
        for (int round = 0; round < plan.runs(); round++) {
            round(round, true, samples);
        }
        for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
            round(plan.runs() + round, false, round < plan.warmUps() ? new Samples() : samples);
        }
    }

    private void round(int round, boolean cold, Samples into) {
        // Another file each time, so that nothing that a run before has left is taken for this one's.
        TestFile.write(file, plan.octets(), round);
        LabRun run = new LabRun(testbed, plan, file, TestFile.sha256(file));
        int turn = round;
        for (LossCase loss : plan.cases()) {
            List<SystemKind> turned = new ArrayList<>(plan.systems());
            Collections.rotate(turned, -turn++);
            for (SystemKind kind : turned) {
                if (cold) {
                    stop();
                }
                measure(run, round, new LabCase(loss, cold), kind, into);
            }
        }
        if (cold) {
            stop();
        }
    }

    private void measure(LabRun run, int round, LabCase which, SystemKind kind, Samples into) {
        String what = kind + ", " + which + ", round " + (round + 1);
        progress.accept(100 * done++ / plan.count() + " %: " + what + (into == samples ? "" : ", to warm up"));
        try {
            LabFigures figures = run.measure(open(kind), which.loss());
            figures.addTo(into, which, kind, plan.expected());
            if (kind.isOwn() && !figures.missing().isEmpty()) {
                stop();
                failures.add(what + ": " + String.join("; ", figures.missing()));
            }
            if (figures.identical() < figures.complete()) {
                failures.add(what + ": only " + figures.identical() + " of " + figures.complete() + " copies are what was sent");
            }
        } catch (LabException | AnepException e) {
            stop();
            failures.add(what + ": " + e.getMessage());
            progress.accept(ErrorCode.INTERNAL + " " + what + ": " + e.getMessage());
        }
    }

    /** Ends what stands: whatever state it is in, it is not the next run's. */
    private void stop() {
        programs.close();
        nodes.stop();
    }

    private MulticastSystem open(SystemKind kind) {
        return switch (kind) {
            case TAMANOIR -> new TamanoirSystem(testbed, plan, nodes, NAME);
            case TAMANOIR_SITE -> new SiteSystem(testbed, plan, nodes, programs, NAME);
            case NORM -> new NormSystem(testbed, plan, NativeTool.make("tests/benchmarks", "norm", "tamanoir-norm"), NAME);
            case UFTP -> new UftpSystem(testbed, plan, NAME);
        };
    }

    Samples samples() {
        return samples;
    }

    /** Runs that gave no figure or a wrong copy, and why. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        programs.close();
        nodes.close();
        testbed.close();
        files.close();
    }
}
