package org.tamanoir.benchmarks.dyram.figures;

import java.util.List;

/**
 * What a model says, without a protocol. Links lose packets independently, the source's link and every tail with the same chance, the
 * backbone none. Repairs are lost as first transmissions are; requests are not. In a round the source sends once whatever somebody misses,
 * and its node hands it to the sites that miss it. With local recovery a site has a packet as soon as one of its receivers has it.
 */
final class Model {
    private static final double NEGLIGIBLE = 1e-12;

    private Model() {
    }

    /**
     * Rounds until the last of several has succeeded.
     *
     * @param failure of one in one round
     */
    static double rounds(int several, double failure) {
        double sum = 0;
        double still = 1;
        double missing;
        do {
            missing = 1 - Math.pow(1 - still, several);
            sum += missing;
            still *= failure;
        } while (missing > NEGLIGIBLE);
        return sum;
    }

    /** Packets on the source's link for each packet. @param loss from end to end */
    static double sourceLink(int groups, int hosts, double loss, boolean recovery) {
        double link = Setting.linkLoss(loss);
        // A packet that the source's link loses costs nothing behind it.
        return (recovery ? rounds(groups, Math.pow(link, hosts)) : rounds(groups * hosts, link)) / (1 - link);
    }

    /** Packets on the links from the source's node to sites, for each packet. */
    static double coreLinks(int groups, int hosts, double loss, boolean recovery) {
        double link = Setting.linkLoss(loss);
        return groups * (recovery ? rounds(1, Math.pow(link, hosts)) : rounds(hosts, link));
    }

    /** Consumed bandwidth without local recovery, divided by that with it: figure 12b. */
    static double bandwidthRatio(int groups, int hosts, double loss) {
        return (sourceLink(groups, hosts, loss, false) + coreLinks(groups, hosts, loss, false))
                / (sourceLink(groups, hosts, loss, true) + coreLinks(groups, hosts, loss, true));
    }

    /**
     * Mean recovery delay, in round trips, at a loss of 0.25 with 96 receivers in 12 groups, as a Monte-Carlo model of the
     * protocol gave it. Its numbers fit receivers that ask again after one and a quarter round trips to the source, and nodes that take a round trip of
     * their links to decide.
     */
    record Delay(Split split, boolean nodesHaveTimers, double noActiveNode, double withoutDetection, double withDetection) {
    }

    static final List<Delay> DELAYS = List.of(new Delay(Split.SHORT_ACCESS, false, 1.42, 0.94, 0.29),
            new Delay(Split.SHORT_ACCESS, true, 1.42, 0.74, 0.12), new Delay(Split.MEDIUM_ACCESS, true, 1.42, 1.19, 0.55),
            new Delay(Split.EQUAL, true, 1.42, 1.56, 0.90));
}
