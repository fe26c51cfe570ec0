package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.util.List;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.Service;
import org.tamanoir.membership.Welcome.Standing;

/**
 * What a plan has to know of a back end.
 *
 * @param address  where packets for it go
 * @param port     of ANEP streams, 1 to 65535
 * @param health   port of {@code GET /health}
 * @param services that it runs
 * @param affinity that it is known to need beside what its services need: of one that was only in a plan, which does not say its services
 * @param standing what the front-end makes of it
 * @param out      whether it gets nothing at all, whatever its standing: it is silent, has left, or its time to drain is over
 */
public record BackEnd(String name, String pool, InetAddress address, int port, int health, List<Service> services, Affinity affinity,
                      Standing standing, boolean out) {
    public BackEnd {
        services = List.copyOf(services);
    }

    /** Whether a director is to know it: the one that is down, too, as it is the director's check that keeps streams from it and finds it back. */
    boolean planned() {
        return !out && standing != Standing.HELD;
    }

    /** What it needs of a pool that is for these services; for all if there are none. */
    Affinity needs(Pool pool) {
        Affinity most = affinity;
        for (Service service : services) {
            if ((pool.services().isEmpty() || pool.services().contains(service.name())) && service.affinity().compareTo(most) > 0) {
                most = service.affinity();
            }
        }
        return most;
    }
}
