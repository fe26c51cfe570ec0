package org.tamanoir.benchmarks.upgrade;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.soak.Received;
import org.tamanoir.benchmarks.soak.Sent;
import org.tamanoir.benchmarks.upgrade.UpgradePlan.Part;
import org.tamanoir.benchmarks.upgrade.Upgrader.Upgrade;
import org.tamanoir.benchmarks.upgrade.Upgrader.Way;
import org.tamanoir.lab.LabException;

/** Goes through the parts of the plan, one after the other, under one load that never stops. */
final class UpgradeRun {
    /**
     * What was found.
     *
     * @param upgrades  in order
     * @param versions  entries of the service on the first node when all streams had ended: 1 if what was drained was removed
     */
    record Result(Sent sent, Received received, List<Upgrade> upgrades, int versions) {
    }

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration REMOVAL = Duration.ofSeconds(15);

    private final UpgradePlan plan;
    private final Testbed testbed;
    private final Upgrader upgrader;
    private final Consumer<String> progress;
    private final List<Upgrade> upgrades = new ArrayList<>();

    UpgradeRun(UpgradePlan plan, Testbed testbed, Upgrader upgrader, Consumer<String> progress) {
        this.plan = plan;
        this.testbed = testbed;
        this.upgrader = upgrader;
        this.progress = progress;
    }

    /** @throws LabException if a process of the testbed fails that is not meant to */
    Result run() {
        progress.accept("warming up");
        testbed.bringService();
        testbed.startLoad(plan.load());
        Pause.of(UpgradePlan.WARM_UP);
        for (int i = 0; i < UpgradePlan.PARTS.size(); i++) {
            Part part = UpgradePlan.PARTS.get(i);
            testbed.source().mark(i + 1);
            if (part == Part.QUIET) {
                tell(i);
                Pause.of(plan.part());
            } else {
                upgrades(i, part);
                testbed.source().mark(0);
                Pause.of(plan.settle());
            }
        }
        progress.accept("ending the streams");
        Sent sent = testbed.endLoad();
        Received received = testbed.received();
        return new Result(sent, received, List.copyOf(upgrades), remainingVersions());
    }

    /** An upgrade a second; one that is late is followed by the next at once. */
    private void upgrades(int index, Part part) {
        int count = plan.upgradesInPart();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            sleepUntil(start + i * SECOND.toNanos());
            boolean secondHalf = i >= (count + 1) / 2;
            Way way = part == Part.PUSHES ? Way.PUSH : part == Part.REPOSITORY_DIES && !secondHalf ? Way.NEIGHBOUR : Way.REPOSITORY;
            if (part == Part.REPOSITORY_DIES && i == 0) {
                testbed.repository().kill();
            } else if (part == Part.REPOSITORY_DIES && i == (count + 1) / 2) {
                testbed.restartRepository();
            } else if (part == Part.NEIGHBOUR_DIES && i == count / 4) {
                testbed.neighbour().kill();
            }
            upgrades.addAll(upgrader.next(way));
            tell(index);
        }
        if (part == Part.REPOSITORY_DIES && count == 1) {
            // There was no second half.
            testbed.restartRepository();
        }
        sleepUntil(start + count * SECOND.toNanos());
    }

    private void tell(int index) {
        long failed = upgrades.stream().filter(Upgrade::hasFailed).count();
        progress.accept(String.format("part %d of %d, %s: %d upgrades done, %d failed, %d streams broken", index + 1, UpgradePlan.PARTS.size(),
                UpgradePlan.PARTS.get(index), upgrades.size() - failed, failed, testbed.source().broken()));
    }

    /** Waits for what has drained to be removed, for a while. */
    private int remainingVersions() {
        long end = System.nanoTime() + REMOVAL.toNanos();
        int versions = versions();
        while (versions > 1 && System.nanoTime() < end) {
            Pause.millis(100);
            versions = versions();
        }
        return versions;
    }

    private int versions() {
        try {
            return testbed.first().admin().versions(Testbed.SERVICE);
        } catch (LabException e) {
            throw new LabException("the first node does not answer at the end: " + e.getMessage(), e);
        }
    }

    private static void sleepUntil(long nanos) {
        Pause.millis(Math.max(0, (nanos - System.nanoTime()) / 1_000_000));
    }
}
