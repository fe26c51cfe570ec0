package org.tamanoir.benchmarks.upgrade;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.soak.Soak;

/**
 * What {@code bench upgrade} does.
 *
 * @param load    the streams
 * @param seconds with an upgrade in each: 6 to 3,600. As many without upgrades are laid between them
 */
public record UpgradePlan(Soak.Load load, int seconds) {
    /** A part of the run. Delays are kept for each part on its own. */
    enum Part {
        /** The same load, and nothing else: what the others are held against. */
        QUIET,
        /** An upgrade a second on both nodes; the bundles come from the repository. */
        UPGRADES,
        /** The same; the bundles are pushed to the nodes. */
        PUSHES,
        /** Upgrades while the repository is dead, then comes back: pushed to the first node, by the other fetched from a neighbour. */
        REPOSITORY_DIES,
        /** Upgrades while the neighbour dies that has been a source before. */
        NEIGHBOUR_DIES;

        /** As its figures name it: {@code repository-dies}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The parts, in order: pairs of a quiet one and one with upgrades, which take turns at being the first of the two. */
    static final List<Part> PARTS = List.of(Part.QUIET, Part.UPGRADES, Part.UPGRADES, Part.QUIET, Part.QUIET, Part.REPOSITORY_DIES,
            Part.UPGRADES, Part.QUIET, Part.QUIET, Part.NEIGHBOUR_DIES, Part.PUSHES, Part.QUIET);

    /** The load before anything counts: the virtual machines compile what they run. */
    static final Duration WARM_UP = Duration.ofSeconds(10);

    private static final int BUSY_PARTS = 6;
    private static final Duration SETTLE = Duration.ofSeconds(3);

    /** @throws IllegalArgumentException naming what is out of its range */
    public void check() {
        load.check();
        if (seconds < BUSY_PARTS || seconds > 3_600) {
            throw new IllegalArgumentException(seconds + " seconds of upgrades: give " + BUSY_PARTS + " to 3600");
        }
    }

    /** Upgrades of each node in one part, one a second. */
    int upgradesInPart() {
        return seconds / BUSY_PARTS;
    }

    /** The quiet part of the pair that a part belongs to. Both are positions in {@link #PARTS}. */
    static int quietBeside(int part) {
        int first = part / 2 * 2;
        return PARTS.get(first) == Part.QUIET ? first : first + 1;
    }

    /** How long a part is. */
    Duration part() {
        return Duration.ofSeconds(upgradesInPart());
    }

    /** After upgrades, before the next part: streams on old versions end, and the versions are removed. Delays do not count. */
    Duration settle() {
        Duration half = part().dividedBy(2);
        return half.compareTo(SETTLE) < 0 ? half : SETTLE;
    }

    /** Upgrades of both nodes together that are to be done. */
    int upgrades() {
        return 2 * upgradesInPart() * BUSY_PARTS;
    }
}
