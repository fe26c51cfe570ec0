package org.tamanoir.cluster.ipvs;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.membership.Welcome.Method;

/**
 * The text of keepalived.conf(5). The same plan and settings give the same text; every value in it is a number, an address or one of {@link SafeWords}.
 *
 * <p>Weights are not in it but in files that keepalived watches ({@code FILE_CHECK}): they change every few seconds, and a reload would begin all checks
 * anew each time and touch VRRP as well. A real server has the weight 1 and to that what its file says: the weight less one.
 */
final class KeepalivedConf {
    /** Of the only VRRP instance; notices name it. */
    static final String INSTANCE = "tamanoir";
    private static final int WEIGHT = 1;

    private final IpvsSettings settings;
    private final StringBuilder text = new StringBuilder(4096);

    private KeepalivedConf(IpvsSettings settings) {
        this.settings = settings;
    }

    /** A real server of a virtual service. */
    record Place(ServiceKey key, InetSocketAddress server) {
    }

    /**
     * The whole configuration.
     *
     * @param in places that the kernel has already, left there by a keepalived that has gone: they are taken to be well until a check says otherwise. All
     *           others get nothing before their first good check
     */
    static String text(List<Director.Service> services, IpvsSettings settings, Set<Place> in) {
        KeepalivedConf conf = new KeepalivedConf(settings);
        conf.line(0, "# Written by Tamanoir for its own keepalived. Changes are overwritten.");
        conf.global();
        if (settings.vrrp() != null) {
            conf.vrrp(settings.vrrp());
        }
        services.forEach(service -> service.servers().forEach(server -> conf.weight(service, server)));
        services.forEach(service -> conf.service(service, in::contains));
        return conf.text.toString();
    }

    /**
     * Places that need no check before they get anything: those that need none already, and in services that are new those of back ends that answer, so that
     * a service that takes the place of another has back ends from the start.
     *
     * @param carried   services until now
     * @param next      services from now on
     * @param answering names of back ends
     */
    static Set<Place> well(Set<Place> already, List<Director.Service> carried, List<Director.Service> next, Set<String> answering) {
        List<ServiceKey> keys = carried.stream().map(Director.Service::key).toList();
        Set<Place> well = new HashSet<>();
        next.forEach(service -> service.servers().forEach(server -> {
            Place place = new Place(service.key(), service.key().place(server));
            if (already.contains(place) || !keys.contains(service.key()) && answering.contains(server.name())) {
                well.add(place);
            }
        }));
        return well;
    }

    /** What the file of a real server says for its weight. */
    static String weightFile(RealServer server) {
        return server.weight() - WEIGHT + "\n";
    }

    /** The file's name, which is also that of its {@code track_file}; a word by what it is made of. */
    static String weightName(ServiceKey key, RealServer server) {
        return key.word() + '_' + server.address().getHostAddress().replace(':', '-') + '_' + server.port();
    }

    /** Where files of weights are. */
    static Path weights(Path directory) {
        return directory.resolve("weights");
    }

    /** Where keepalived tells of changes of its role. */
    static Path roleFifo(Path directory) {
        return directory.resolve("role");
    }

    private void global() {
        line(0, "global_defs {");
        line(1, "router_id tamanoir");
        Vrrp vrrp = settings.vrrp();
        if (vrrp != null) {
            line(1, "vrrp_version 3");
            line(1, "vrrp_notify_fifo " + SafeWords.path(roleFifo(settings.directory())));
            if (vrrp.synchronisation() != null) {
                line(1, "lvs_sync_daemon " + vrrp.synchronisation() + ' ' + INSTANCE + " id " + vrrp.router());
            }
        }
        line(0, "}");
    }

    private void vrrp(Vrrp vrrp) {
        line(0, "");
        line(0, "vrrp_instance " + INSTANCE + " {");
        line(1, "state BACKUP");
        line(1, "nopreempt");
        line(1, "interface " + vrrp.networkInterface());
        line(1, "virtual_router_id " + vrrp.router());
        line(1, "priority " + vrrp.priority());
        line(1, "advert_int " + seconds(vrrp.advertisement()));
        line(1, "unicast_src_ip " + vrrp.source().getHostAddress());
        line(1, "unicast_peer {");
        for (InetAddress peer : vrrp.peers()) {
            line(2, peer.getHostAddress());
        }
        line(1, "}");
        // Advertisements hold addresses of one family only; and a director drops those that hold another number of addresses than its own, so that two of
        // which one has a new address already would both be master. One is enough.
        VirtualAddress first = vrrp.addresses().stream().filter(each -> Vrrp.family(each.address(), vrrp.source())).findFirst().orElseThrow();
        addresses("virtual_ipaddress", vrrp, first::equals);
        addresses("virtual_ipaddress_excluded", vrrp, each -> !each.equals(first));
        line(0, "}");
    }

    private void addresses(String block, Vrrp vrrp, Predicate<VirtualAddress> which) {
        List<VirtualAddress> addresses = vrrp.addresses().stream().filter(which).toList();
        if (addresses.isEmpty()) {
            return;
        }
        line(1, block + " {");
        for (VirtualAddress each : addresses) {
            line(2, each.address().getHostAddress() + '/' + each.prefix() + " dev "
                    + (each.networkInterface() == null ? vrrp.networkInterface() : each.networkInterface()));
        }
        line(1, "}");
    }

    private void weight(Director.Service service, RealServer server) {
        String name = weightName(service.key(), server);
        line(0, "");
        line(0, "track_file " + name + " {");
        line(1, "file " + SafeWords.path(weights(settings.directory()).resolve(name)));
        line(1, "weight 1");
        line(0, "}");
    }

    private void service(Director.Service service, Predicate<Place> in) {
        VirtualService first = service.first();
        ServiceKey key = service.key();
        CheckerSettings checks = settings.checks();
        line(0, "");
        line(0, "virtual_server " + (key.isMark() ? "fwmark " + key.mark() : first.address().getHostAddress() + ' ' + first.port()) + " {");
        if (key.isMark()) {
            line(1, "ip_family " + (key.six() ? "inet6" : "inet"));
        } else {
            line(1, "protocol " + first.transport());
        }
        line(1, "lvs_sched " + scheduler(first.scheduler()));
        if (first.scheduler() == Scheduler.MH) {
            // Sources of a back end with the weight 0 would be refused.
            line(1, "mh-fallback");
        }
        line(1, "lvs_method " + method(first.method()));
        if (persistence(first) > 0) {
            line(1, "persistence_timeout " + persistence(first));
        }
        line(1, "alpha");
        line(1, "delay_loop " + seconds(checks.period()));
        line(1, "warmup 0");
        line(1, "connect_timeout " + seconds(checks.timeout()));
        line(1, "retry " + checks.retries());
        line(1, "delay_before_retry " + seconds(checks.pause()));
        for (RealServer server : service.servers()) {
            server(service, server, in.test(new Place(key, key.place(server))));
        }
        line(0, "}");
    }

    private void server(Director.Service service, RealServer server, boolean in) {
        ServiceKey key = service.key();
        line(1, "real_server " + server.address().getHostAddress() + (key.isMark() ? "" : " " + server.port()) + " {");
        line(2, "# " + SafeWords.name(server.name()));
        line(2, "weight " + WEIGHT);
        if (in) {
            line(2, "alpha no");
        }
        if (service.keepsUnchecked()) {
            line(2, "inhibit_on_failure");
        }
        line(2, "FILE_CHECK {");
        line(3, "track_file " + weightName(key, server));
        line(3, "weight 1");
        line(2, "}");
        line(2, "HTTP_GET {");
        line(3, "connect_port " + server.health());
        line(3, "url {");
        line(4, "path /health");
        line(4, "status_code 200");
        line(3, "}");
        line(2, "}");
        line(1, "}");
    }

    /** In whole seconds, as IPVS has it; 0 for none. */
    static long persistence(VirtualService service) {
        return service.persistence().plusMillis(999).toSeconds();
    }

    static String scheduler(Scheduler scheduler) {
        return switch (scheduler) {
            case WLC -> "wlc";
            case WRR -> "wrr";
            case SED -> "sed";
            case MH -> "mh";
        };
    }

    private static String method(Method method) {
        return switch (method) {
            case NAT -> "NAT";
            case DIRECT -> "DR";
            case TUNNEL -> "TUN";
        };
    }

    /** {@code 0.5}: seconds as the parser takes them. */
    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private void line(int depth, String line) {
        if (!line.isEmpty()) {
            text.append("    ".repeat(depth)).append(line);
        }
        text.append('\n');
    }
}
