package org.tamanoir.benchmarks.upgrade;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.soak.Books.Received;
import org.tamanoir.benchmarks.soak.Books.Sent;
import org.tamanoir.benchmarks.upgrade.Testbed.Upgrade;
import org.tamanoir.benchmarks.upgrade.Testbed.Way;
import org.tamanoir.benchmarks.upgrade.UpgradePlan.Part;
import org.tamanoir.lab.LabException;

/**
 * {@code bench upgrade}: what streams see while the service that they go through is upgraded every second, a repository is killed and
 * restarted, and a neighbour dies. All on loopback, with nodes that are processes of their own; needs no root.
 */
public final class UpgradeBench {
    /**
     * What was found.
     *
     * @param upgrades  in order
     * @param versions  entries of the service on the first node when all streams had ended: 1 if what was drained was removed
     */
    record Result(Sent sent, Received received, List<Upgrade> upgrades, int versions) {
    }

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration REMOVAL = Duration.ofSeconds(15);

    private final UpgradePlan plan;
    private final Measurements measurements;
    private final List<Upgrade> upgrades = new ArrayList<>();
    private UpgradeFigures figures;

    /** @param progress told what is being done, a line at a time */
    public UpgradeBench(UpgradePlan plan, Consumer<String> progress) {
        this.plan = plan;
        measurements = new Measurements(progress);
    }

    /** @throws LabException if the testbed cannot be made, or a process of it fails that is not meant to */
    public Report run() {
        measurements.doing("starting a repository and three nodes");
        try (Testbed testbed = new Testbed()) {
            figures = new UpgradeFigures(plan, run(testbed), measurements.samples());
        }
        figures.failures().forEach(measurements::failed);
        return measurements.report(figures.targets());
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        figures.print(out);
    }

    /** Goes through the parts of the plan, one after the other, under one load that never stops. */
    private Result run(Testbed testbed) {
        measurements.doing("warming up");
        testbed.bringService();
        testbed.startLoad(plan.load());
        Pause.of(UpgradePlan.WARM_UP);
        for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
            testbed.soak.mark(i + 1);
            if (UpgradePlan.PARTS.get(i) == Part.QUIET) {
                tell(testbed, i);
                Pause.of(plan.part());
            } else {
                upgrades(testbed, i);
                testbed.soak.mark(0);
                Pause.of(plan.settle());
            }
        }
        measurements.doing("ending the streams");
        Sent sent = testbed.soak.stop();
        Received received = testbed.soak.received();
        // Waits for what has drained to be removed, for a while.
        long end = System.nanoTime() + REMOVAL.toNanos();
        int versions = testbed.versions();
        while (versions > 1 && System.nanoTime() < end) {
            Pause.millis(100);
            versions = testbed.versions();
        }
        return new Result(sent, received, List.copyOf(upgrades), versions);
    }

    /** An upgrade a second; one that is late is followed by the next at once. */
    private void upgrades(Testbed testbed, int index) {
        Part part = UpgradePlan.PARTS.get(index);
        int count = plan.upgradesInPart();
        int half = (count + 1) / 2;
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            sleepUntil(start + i * SECOND);
            if (part == Part.REPOSITORY_DIES && i == 0) {
                testbed.repository.kill();
            } else if (part == Part.REPOSITORY_DIES && i == half) {
                testbed.restartRepository();
            } else if (part == Part.NEIGHBOUR_DIES && i == count / 4) {
                testbed.neighbour.kill();
            }
            Way way = part == Part.PUSHES ? Way.PUSH : part == Part.REPOSITORY_DIES && i < half ? Way.NEIGHBOUR : Way.REPOSITORY;
            upgrades.addAll(testbed.upgrade(way));
            tell(testbed, index);
        }
        if (part == Part.REPOSITORY_DIES && half == count) {
            // There was no second half.
            testbed.restartRepository();
        }
        sleepUntil(start + count * SECOND);
    }

    private void tell(Testbed testbed, int index) {
        long failed = upgrades.stream().filter(Upgrade::hasFailed).count();
        measurements.doing(String.format("part %d of %d, %s: %d upgrades done, %d failed, %d streams broken", index + 1, UpgradePlan.PARTS.size(),
                UpgradePlan.PARTS.get(index), upgrades.size() - failed, failed, testbed.soak.broken()));
    }

    private static void sleepUntil(long nanos) {
        Pause.millis(Math.max(0, (nanos - System.nanoTime()) / 1_000_000));
    }
}
