package org.tamanoir.cluster.nft;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.tamanoir.cluster.check.Check;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Transport;

/**
 * Which tracked connections lead where they should not: connection tracking keeps each at the back end of its first packet. No I/O, no memory: the
 * same after a restart as in the middle of a run.
 *
 * <ul>
 * <li>UDP stays only with back ends that get new streams. What was never translated goes too: it came when there was none, and would never come to one.
 * <li>TCP stays with every back end of the plan, also with weight 0, unless its machine has refused the check: then no program holds its connections any more,
 *     and without an entry the next packet is answered by a reset and not by silence. One that is only silent may be busy; those of its connections
 *     that it has not answered yet go, so that the client's next attempt finds another. If it is dead, its lease ends and it leaves the plan.
 * </ul>
 */
final class Reconcile {
    /**
     * Connections to be forgotten.
     *
     * @param openingOnly whether only those that have not been answered
     */
    record Eviction(TrackedConnections.Key key, boolean openingOnly) {
    }

    /**
     * Which connections stay.
     *
     * @param all      of these
     * @param answered of these those that have been answered
     */
    record Keep(Set<TrackedConnections.Key> all, Set<TrackedConnections.Key> answered) {
    }

    private Reconcile() {
    }

    /** What stays. @param state of a back end by its checks */
    static Keep keep(Plan plan, Function<RealServer, Check.State> state) {
        Keep keep = new Keep(new HashSet<>(), new HashSet<>());
        for (VirtualService service : plan.services()) {
            for (RealServer server : service.servers()) {
                Check.State now = state.apply(server);
                boolean tcp = service.transport() == Transport.TCP;
                // Of one that is not known yet connections are from before this front-end was started.
                if ((now == Check.State.UP || now == Check.State.UNKNOWN) && (tcp || server.weight() > 0)) {
                    keep.all.add(key(service, server));
                } else if (now != Check.State.REFUSED && tcp) {
                    keep.answered.add(key(service, server));
                }
            }
        }
        return keep;
    }

    /** What has to go of the flows that there are. */
    static List<Eviction> evictions(Keep keep, Map<TrackedConnections.Key, TrackedConnections.Count> flows) {
        List<Eviction> evictions = new ArrayList<>();
        flows.forEach((key, count) -> {
            boolean untranslated = key.to().equals(key.address());
            boolean kept = keep.all.contains(key) || untranslated && key.transport() == Transport.TCP;
            boolean openingOnly = keep.answered.contains(key);
            if (!kept && (!openingOnly || count.opening() > 0)) {
                evictions.add(new Eviction(key, openingOnly));
            }
        });
        evictions.sort(Comparator.comparing(eviction -> eviction.key().toString()));
        return evictions;
    }

    /** Where the connections of a back end in a service lead. */
    static TrackedConnections.Key key(VirtualService service, RealServer server) {
        return new TrackedConnections.Key(service.transport(), TrackedConnections.text(service.address()), service.port(), TrackedConnections.text(server.address()), server.port());
    }
}
