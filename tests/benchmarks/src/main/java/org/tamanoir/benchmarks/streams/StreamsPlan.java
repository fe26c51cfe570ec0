package org.tamanoir.benchmarks.streams;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;

/**
 * What {@code bench streams} is to run.
 *
 * @param rounds  how often everything is measured
 * @param run     how long one measurement counts
 * @param warmUp  how long each load runs through each system, twice, before the first round
 * @param against another build that is one more system, or null
 */
public record StreamsPlan(int rounds, Duration run, Duration warmUp, Build against) {
    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        if (rounds < 1 || run.toSeconds() < 1 || warmUp.toSeconds() < 1) {
            throw new IllegalArgumentException("the bench takes at least one round, and runs and warm-up of at least 1 s");
        }
    }

    /** The builds of this project that are measured. */
    List<Build> builds() {
        List<Build> builds = new ArrayList<>(List.of(Build.own()));
        if (against != null) {
            builds.add(against);
        }
        return builds;
    }
}
