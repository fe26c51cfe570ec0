package org.tamanoir.cluster.ipvs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.tamanoir.cluster.plan.Plan.RealServer;

/**
 * Virtual services that another one has taken the place of, by a firewall mark or instead of one: a pool has begun to need affinity, or needs it no more. They
 * get nothing new, as IPVS looks for marks first and unmarked packets find no mark; they stay for the connections that they have. No I/O.
 *
 * @param services that linger
 * @param until    as {@link System#nanoTime}
 */
record SupersededServices(List<Director.Service> services, long until) {
    static final SupersededServices NONE = new SupersededServices(List.of(), 0);
    static final Duration MOST = Duration.ofMinutes(10);

    /**
     * Which of those carried linger when others are carried.
     *
     * @param before carried until now
     * @param next   carried from now on
     */
    SupersededServices with(List<Director.Service> before, List<Director.Service> next, long now) {
        Set<ServiceKey> keys = new HashSet<>();
        Set<InetSocketAddress> ends = new HashSet<>();
        Set<RealServer> servers = new HashSet<>();
        for (Director.Service each : next) {
            keys.add(each.key());
            each.carries().forEach(service -> ends.add(new InetSocketAddress(service.address(), service.port())));
            each.servers().forEach(server -> servers.add(plain(server)));
        }
        boolean over = now - until > 0;
        List<Director.Service> kept = new ArrayList<>();
        boolean fresh = false;
        for (Director.Service each : Stream.concat(before.stream(), over ? Stream.empty() : services.stream()).toList()) {
            List<RealServer> still = each.servers().stream().filter(server -> servers.contains(plain(server))).toList();
            InetSocketAddress end = new InetSocketAddress(each.first().address(), each.first().port());
            if (!keys.contains(each.key()) && ends.contains(end) && !still.isEmpty()) {
                keys.add(each.key());
                kept.add(new Director.Service(each.key(), each.carries(), still));
                fresh |= before.contains(each);
            }
        }
        return kept.isEmpty() ? NONE : new SupersededServices(kept, fresh ? now + MOST.toNanos() : until);
    }

    /** Whether nothing is left of them, or their time is over. @param table the plain form, see {@link Ipvsadm#table} */
    boolean over(IpvsTable table, long now) {
        return now - until > 0 || services.stream().allMatch(service -> table.connections(service.key()) == 0);
    }

    /** These behind others. */
    List<Director.Service> behind(List<Director.Service> others) {
        return Stream.concat(others.stream(), services.stream()).toList();
    }

    private static RealServer plain(RealServer server) {
        return new RealServer(server.name(), server.address(), server.port(), 0, server.health());
    }
}
