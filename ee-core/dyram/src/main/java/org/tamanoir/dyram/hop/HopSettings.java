package org.tamanoir.dyram.hop;

import java.time.Duration;
import org.tamanoir.dyram.wire.ServiceSet;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/**
 * Which services work at a place, and its times and bounds. At a node they are the most that it does: each session chooses among them.
 *
 * @param detect      a gap in the packets from above is asked for before any receiver does (early loss detection)
 * @param aggregate   one request goes up for all links that miss a packet; further ones only add their link
 * @param subcast     a repair goes only to the links that miss the packet
 * @param elect       who may be asked to repair
 * @param repairTimer a replier that does not answer in time is replaced by another
 * @param reorder     how long a gap is left alone: packets may have overtaken each other
 * @param leastDelay  the shortest delay to decide (DTD)
 * @param linkTimeout a link that was not heard of for so long is gone
 * @param mostLinks   links that one session may have here
 * @param mostLosses  missing packets that are remembered for one session
 */
public record HopSettings(boolean detect, boolean aggregate, boolean subcast, Election elect, boolean repairTimer, Duration reorder,
                          Duration leastDelay, Duration linkTimeout, int mostLinks, int mostLosses) {
    /** Who may be elected as the replier. */
    public enum Election {
        /** Nobody: what is missing is asked for above. */
        NONE,
        /** A host among the links. */
        HOSTS,
        /** A host, or a node: some host beneath it repairs for another site. */
        ALL
    }

    /** Every service, usual times. */
    public static final HopSettings DEFAULT = new HopSettings(true, true, true, Election.ALL, true, Duration.ofMillis(1), Duration.ofMillis(3),
            Duration.ofSeconds(5), 1024, 65_536);

    /** The services that work. */
    public ServiceSet services() {
        ServiceSet services = ServiceSet.NONE;
        services = detect ? services.with(Service.DETECT) : services;
        services = aggregate ? services.with(Service.AGGREGATE) : services;
        services = subcast ? services.with(Service.SUBCAST) : services;
        services = elect != Election.NONE ? services.with(Service.ELECT_HOSTS) : services;
        services = elect == Election.ALL ? services.with(Service.ELECT_SITES) : services;
        return repairTimer ? services.with(Service.REPAIR_TIMER) : services;
    }

    /** The same with those services only that are asked for. */
    public HopSettings within(ServiceSet asked) {
        ServiceSet both = services().and(asked);
        Election whom = !both.has(Service.ELECT_HOSTS) ? Election.NONE : both.has(Service.ELECT_SITES) ? Election.ALL : Election.HOSTS;
        return new HopSettings(both.has(Service.DETECT), both.has(Service.AGGREGATE), both.has(Service.SUBCAST), whom, both.has(Service.REPAIR_TIMER),
                reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings detect(boolean on) {
        return new HopSettings(on, aggregate, subcast, elect, repairTimer, reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings aggregate(boolean on) {
        return new HopSettings(detect, on, subcast, elect, repairTimer, reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings subcast(boolean on) {
        return new HopSettings(detect, aggregate, on, elect, repairTimer, reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings elect(Election whom) {
        return new HopSettings(detect, aggregate, subcast, whom, repairTimer, reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings repairTimer(boolean on) {
        return new HopSettings(detect, aggregate, subcast, elect, on, reorder, leastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings times(Duration newReorder, Duration newLeastDelay) {
        return new HopSettings(detect, aggregate, subcast, elect, repairTimer, newReorder, newLeastDelay, linkTimeout, mostLinks, mostLosses);
    }

    public HopSettings linkTimeout(Duration timeout) {
        return new HopSettings(detect, aggregate, subcast, elect, repairTimer, reorder, leastDelay, timeout, mostLinks, mostLosses);
    }
}
