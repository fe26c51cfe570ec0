package org.tamanoir.cluster.nft;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.cluster.engine.Counters;
import org.tamanoir.cluster.nft.Table.Seen;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.RealServer;
import org.tamanoir.cluster.plan.VirtualService;

/**
 * Counters of back ends, as ipvsadm has them: connections, packets and octets are nftables' own counters, which are exact; what is open now is counted
 * in connection tracking; rates are estimated here, since the kernel does not. No I/O. For one thread.
 */
final class Ledger {
    private final Rates rates = new Rates();

    /** Takes what the counters have now; about every two seconds. */
    void rates(long now, Map<String, Seen> counters) {
        Map<String, Long> values = new HashMap<>();
        counters.forEach((name, seen) -> values.put(name, name.endsWith(Ruleset.CONNECTIONS) ? seen.packets() : seen.octets()));
        rates.take(now, values);
    }

    /** One for each back end of each virtual service, in the order of the plan. */
    List<Counters> counters(Plan plan, Map<String, Seen> counters, Flows flows) {
        List<Counters> all = new ArrayList<>();
        for (VirtualService service : plan.services()) {
            for (RealServer server : service.servers()) {
                String name = Names.of(service, server);
                Seen in = counters.getOrDefault(name + Ruleset.IN, Seen.NOTHING);
                Seen out = counters.getOrDefault(name + Ruleset.OUT, Seen.NOTHING);
                Flows.Count open = flows.counts().getOrDefault(Reconcile.key(service, server), Flows.Count.NONE);
                all.add(new Counters(service, server, counters.getOrDefault(name + Ruleset.CONNECTIONS, Seen.NOTHING).packets(),
                        open.active(), open.opening() + open.inactive(), in.packets(), out.packets(), in.octets(), out.octets(),
                        rates.of(name + Ruleset.CONNECTIONS), rates.of(name + Ruleset.IN), rates.of(name + Ruleset.OUT)));
            }
        }
        return all;
    }
}
