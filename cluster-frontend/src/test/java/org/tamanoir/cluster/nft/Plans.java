package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.membership.Welcome.Method;

/** Plans in few words. */
final class Plans {
    private Plans() {
    }

    static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Ports of streams and health are 3322 and 3380. */
    static RealServer server(String name, String address, int weight) {
        return new RealServer(name, address(address), 3322, weight, 3380);
    }

    static VirtualService service(Transport transport, String address, int persistence, RealServer... servers) {
        return service(transport, address, Method.NAT, persistence, servers);
    }

    static VirtualService service(Transport transport, String address, Method method, int persistence, RealServer... servers) {
        return new VirtualService("default", address(address), 3322, transport, method, Scheduler.WLC, Duration.ofSeconds(persistence), List.of(servers));
    }

    /** TCP and UDP alike. */
    static Plan plan(String address, int persistence, RealServer... servers) {
        return new Plan(Arrays.stream(Transport.values()).map(transport -> service(transport, address, persistence, servers)).toList());
    }
}
