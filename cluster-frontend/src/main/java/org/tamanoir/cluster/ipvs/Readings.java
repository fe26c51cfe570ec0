package org.tamanoir.cluster.ipvs;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.cluster.engine.Counters;
import org.tamanoir.cluster.plan.RealServer;

/** Counters of a plan from the lists of ipvsadm. No I/O. */
final class Readings {
    private Readings() {
    }

    /**
     * One for each back end of each service, in their order; zeros for one that is not in the kernel.
     *
     * @param table  see {@link Ipvsadm#table}
     * @param totals see {@link Ipvsadm#statistics}
     * @param rates  see {@link Ipvsadm#rates}
     */
    static List<Counters> counters(List<Director.Service> services, IpvsTable table, IpvsTable totals, IpvsTable rates) {
        List<Counters> counters = new ArrayList<>();
        for (Director.Service service : services) {
            for (RealServer server : service.servers()) {
                ServiceKey key = service.key();
                InetSocketAddress end = key.place(server);
                counters.add(new Counters(service.first(), server, totals.number(key, end, 0), table.number(key, end, 2), table.number(key, end, 3),
                        totals.number(key, end, 1), totals.number(key, end, 2), totals.number(key, end, 3), totals.number(key, end, 4),
                        rates.number(key, end, 0), rates.number(key, end, 3), rates.number(key, end, 4)));
            }
        }
        return counters;
    }
}
