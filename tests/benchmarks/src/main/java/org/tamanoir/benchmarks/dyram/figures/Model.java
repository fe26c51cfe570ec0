package org.tamanoir.benchmarks.dyram.figures;

import org.tamanoir.benchmarks.dyram.figures.Setting.Services;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/**
 * What a model says, without a protocol. Links lose packets independently, the source's link and every tail with the same chance, the
 * backbone none. Repairs are lost as first transmissions are; requests are not. In a round the source sends once whatever somebody misses,
 * and its node hands it to the sites that miss it. With local recovery a site has a packet as soon as one of its receivers has it.
 */
final class Model {
    private static final double NEGLIGIBLE = 1e-12;
    /** Round trips until whoever asked asks again. */
    static final double AGAIN = 1.25;

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

    /** Consumed bandwidth without local recovery, divided by that with it: figure 12b. */
    static double bandwidthRatio(int groups, int hosts, double loss) {
        return bandwidth(groups, hosts, loss, false) / bandwidth(groups, hosts, loss, true);
    }

    /** Packets on the source's link, and on the links from its node to sites, for each packet. */
    private static double bandwidth(int groups, int hosts, double loss, boolean recovery) {
        double link = Setting.linkLoss(loss);
        return sourceLink(groups, hosts, loss, recovery) + groups * (recovery ? rounds(1, Math.pow(link, hosts)) : rounds(hosts, link));
    }

    /**
     * Mean recovery delay of the packets that do not come at first, in round trips. A packet that the source's link loses comes from the source;
     * one that a tail loses comes from a neighbour, who always has it: up and down the tail with request and repair, twice, and the node decides
     * in between. Whoever still lacks a packet asks again after one and a quarter round trips: to the source, if only receivers have timers; on
     * the way that the request takes, if nodes have them too. Where the source's node detects losses, it asks the source by itself, before the
     * sites miss anything. Nobody asks for another: in the protocol, a repair that one receiver asked for may come in time for others.
     */
    static double delay(Setting setting, boolean nodesHaveTimers) {
        double loss = setting.loss();
        if (setting.services().name().equals(Services.NO_ACTIVE_NODE.name())) {
            return 1 + AGAIN * loss / (1 - loss);
        }
        double link = setting.linkLoss();
        double repeats = link / (1 - link);
        double decide = (double) setting.decide().toNanos() / setting.roundTrip().toNanos();
        double neighbour = 4 * setting.split().tail() + decide;
        double local = neighbour + repeats * AGAIN * (nodesHaveTimers ? neighbour : 1);
        double source = setting.services().choice().atSource().has(Service.DETECT) ? 2 * setting.split().source() : 1 + decide;
        double remote = source + repeats * AGAIN * (nodesHaveTimers ? source : 1) + link * local;
        return (link * remote + (1 - link) * link * local) / loss;
    }
}
