package org.tamanoir.node.offload;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.kernel.Kernel;

/**
 * Type IDs whose datagrams flood a node that has no service for them. Where an interface has XDP, they are dropped there for a while,
 * before the kernel makes a packet of them; their senders are not told then. Safe for all threads.
 */
final class FloodedTypes {
    private static final Logger LOG = LoggerFactory.getLogger(FloodedTypes.class);
    /** Refused datagrams of one Type ID within a second that are a flood. */
    static final int FLOOD = 1000;
    /** Type IDs that are watched at once; there are 65,536 in all. */
    private static final int WATCHED = 4096;
    static final long SECOND = 1_000_000_000L;
    /** How long a flood is dropped, unless its service comes before, until the node looks again whether it can be had. */
    static final long WHILE = 5 * SECOND;

    private static final class Count {
        private long since;
        private long refused;
    }

    private final Map<Integer, Count> counts = new HashMap<>();
    private final Map<Integer, Long> until = new HashMap<>();
    private Kernel kernel;

    /** The kernel drops floods from now on; null: nobody does. */
    synchronized void kernel(Kernel used) {
        kernel = used;
        until.clear();
        counts.clear();
    }

    /** Datagrams could not be served because nobody has their service. */
    synchronized void refused(int typeId, long datagrams, long nanos) {
        if (kernel == null || until.containsKey(typeId) || counts.size() >= WATCHED && !counts.containsKey(typeId)) {
            return;
        }
        Count count = counts.computeIfAbsent(typeId, unused -> new Count());
        if (count.refused == 0 || nanos - count.since > SECOND) {
            count.since = nanos;
            count.refused = 0;
        }
        count.refused += datagrams;
        if (count.refused >= FLOOD) {
            counts.remove(typeId);
            until.put(typeId, nanos + WHILE);
            set(typeId, true);
            LOG.info("datagrams of {} are dropped for {} s: more than {} a second, and no service for them", Anep.typeName(typeId),
                    WHILE / SECOND, FLOOD);
        }
    }

    /** There is a service for it from now on. */
    synchronized void served(int typeId) {
        counts.remove(typeId);
        if (until.remove(typeId) != null) {
            set(typeId, false);
        }
    }

    /** Lets those through again whose time is over, and forgets counts of the past. */
    synchronized void tick(long nanos) {
        for (Iterator<Map.Entry<Integer, Long>> each = until.entrySet().iterator(); each.hasNext();) {
            Map.Entry<Integer, Long> entry = each.next();
            if (nanos - entry.getValue() > 0) {
                each.remove();
                set(entry.getKey(), false);
            }
        }
        counts.values().removeIf(count -> nanos - count.since > SECOND);
    }

    private void set(int typeId, boolean refuse) {
        try {
            kernel.refuse(typeId, refuse);
        } catch (AnepException e) {
            LOG.debug("the kernel does not drop {}: {}", Anep.typeName(typeId), e.getMessage());
        }
    }

    /** Type IDs that are dropped now. */
    synchronized Set<String> now() {
        Set<String> names = new TreeSet<>();
        until.keySet().forEach(typeId -> names.add(Anep.typeName(typeId)));
        return names;
    }
}
