package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;

/**
 * Which services work in the source's node and in the nodes of the sites.
 *
 * @param name in tables
 * @param core at the source's node
 * @param site at each site's
 */
record Services(String name, HopSettings core, HopSettings site) {
    private static final HopSettings FORWARDING = HopSettings.DEFAULT.detect(false).aggregate(false).subcast(false).elect(Election.NONE)
            .repairTimer(false);
    private static final HopSettings NO_RECOVERY = HopSettings.DEFAULT.detect(false).elect(Election.NONE);
    private static final HopSettings RECOVERY = HopSettings.DEFAULT.detect(false).elect(Election.HOSTS);

    /**
     * The nodes hand on what they get: data and every repair to all links, every request to the source. Nodes without services rather than
     * no nodes, so that the links, their delays and their losses are the same.
     */
    static final Services NO_ACTIVE_NODE = new Services("no active node", FORWARDING, FORWARDING);
    /** NACKs are aggregated and repairs subcast, but every repair comes from the source: what figure 12 compares with. */
    static final Services NO_LOCAL_RECOVERY = new Services("without local recovery", NO_RECOVERY, NO_RECOVERY);
    /** A host of the site is elected; the source's node elects nobody. */
    static final Services LOCAL_RECOVERY = new Services("local recovery", NO_RECOVERY, RECOVERY);
    /** The source's node elects a site, too. */
    static final Services EVERY_LEVEL = new Services("election at every level", NO_RECOVERY.elect(Election.ALL), RECOVERY);
    /** What figure 13 calls DyRAM-: local recovery, no loss detection. */
    static final Services WITHOUT_DETECTION = new Services("DyRAM-", NO_RECOVERY, RECOVERY);
    /** What it calls DyRAM+: loss detection in the source's node. */
    static final Services WITH_DETECTION = new Services("DyRAM+", NO_RECOVERY.detect(true), RECOVERY);

    /** The same with repair timers in the receivers only. */
    Services timersInReceiversOnly() {
        return new Services(name, core.repairTimer(false), site.repairTimer(false));
    }

    /** The same with other times. */
    Services times(Duration reorder, Duration leastDelay) {
        return new Services(name, core.times(reorder, leastDelay), site.times(reorder, leastDelay));
    }
}
