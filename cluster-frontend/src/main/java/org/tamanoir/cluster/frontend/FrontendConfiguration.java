package org.tamanoir.cluster.frontend;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.ipvs.VirtualAddress;
import org.tamanoir.cluster.ipvs.Vrrp;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.cluster.plan.Pool.AffinitySetting;
import org.tamanoir.cluster.plan.Pool.Scheduler;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.settings.Settings;

/** What an operator says of a front-end, as it stands in its YAML file; {@code docs/cluster.md} explains it. */
public final class FrontendConfiguration {
    private static final Pattern GATEWAY = Pattern.compile("([^/\\s]+)/(\\d{1,3}) dev (\\S+)");

    /** Of the front-end; the name of the machine unless set. */
    public String name;
    /** Where back ends report and operators ask: {@code HOST:PORT}. */
    public String listen = "127.0.0.1:" + Anep.PORT_FRONTEND;
    /** A file with the token that back ends and remote operators need. */
    public Path tokenFile;
    /** Certificates; null for HTTP without TLS. */
    public TlsSection tls;
    /** Where it keeps the last plan and what its engine needs; made if missing. */
    public Path data;
    /** {@code auto}, {@code ipvs} or {@code nft}. */
    public String engine = "auto";
    /** How often back ends report. */
    public String period = "1s";
    /** How long a back end that leaves keeps its TCP streams. */
    public String drain = "5m";
    /** How back ends are checked. */
    public CheckSection check = new CheckSection();
    /** With a second front-end; null for one that stands alone. */
    public VrrpSection vrrp;
    /** By name. */
    public Map<String, PoolSection> pools = new LinkedHashMap<>();

    /** {@code check:}. */
    public static final class CheckSection {
        public String period = "500ms";
        public String timeout = "500ms";
        /** Failures in a row until a back end is down. */
        public int failures = 2;
    }

    /** {@code vrrp:}. */
    public static final class VrrpSection {
        /** The interface of the virtual addresses, where advertisements go. */
        public String device;
        /** 1 to 255, the same on both directors. */
        public int router = 51;
        /** 1 to 254; the higher one becomes master. */
        public int priority = 100;
        /** Own address of advertisements. */
        public String source;
        /** Addresses of the other directors. */
        public List<String> peers = List.of();
        /** The interface by which the master tells the others of its connections; that of {@code device} unless set. */
        public String synchronisation;
        /** How often the master says that it is there. */
        public String advertisement = "500ms";
        /**
         * Besides the virtual addresses, what the master has: with {@code nat} those that back ends have as their router. {@code 10.0.2.1/24 dev eth1}, as
         * ip(8) has it.
         */
        public List<String> gateways = List.of();
    }

    /** One of {@code pools:}. */
    public static final class PoolSection {
        public List<String> addresses = List.of();
        public int port = Anep.PORT_DATA;
        public String method = "nat";
        public String scheduler = "wlc";
        public String affinity = "auto";
        public String persistence = "5m";
        public List<String> services = List.of();
    }

    /** @throws AnepException EE-501 that names the key */
    public static FrontendConfiguration read(Path file) {
        FrontendConfiguration read = Settings.of(file).as(FrontendConfiguration.class);
        read.check();
        return read;
    }

    /** Checks everything that can be checked without starting. @throws AnepException EE-501 */
    public void check() {
        listenAddress();
        cluster();
        timing();
        vrrp();
        if (!List.of("auto", "ipvs", "nft").contains(engine)) {
            throw bad("engine is '" + engine + "'; it must be auto, ipvs or nft");
        }
    }

    /** Of this front-end. */
    Path dataDirectory() {
        return data != null ? data
                : Path.of(System.getProperty("user.home"), ".local", "share", "tamanoir", "frontend-" + listenAddress().getPort());
    }

    InetSocketAddress listenAddress() {
        return Settings.address("listen", listen);
    }

    Timing timing() {
        return Timing.of(MapConfiguration.parseDuration("period", period), MapConfiguration.parseDuration("drain", drain));
    }

    ClusterConfiguration cluster() {
        if (pools.isEmpty()) {
            throw bad("pools: there must be one: pools: {default: {addresses: [10.0.0.100]}}");
        }
        List<Pool> all = new ArrayList<>();
        pools.forEach((poolName, section) -> all.add(pool(poolName, section)));
        return new ClusterConfiguration(all);
    }

    private static Pool pool(String name, PoolSection section) {
        if (section == null) {
            throw bad("pools." + name + " says nothing; it needs addresses");
        }
        List<InetAddress> addresses = new ArrayList<>();
        section.addresses.forEach(text -> addresses.add(literal("pools." + name + ".addresses", text)));
        String key = "pools." + name + ".";
        return new Pool(name, addresses, section.port, word(key + "method", section.method, Method.class), word(key + "scheduler", section.scheduler,
                Scheduler.class), word(key + "affinity", section.affinity, AffinitySetting.class), MapConfiguration.parseDuration(key + "persistence",
                section.persistence), Set.copyOf(section.services));
    }

    private static <E extends Enum<E>> E word(String key, String text, Class<E> type) {
        for (E each : type.getEnumConstants()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
                return each;
            }
        }
        throw bad(key + " is '" + text + "'; it must be one of " + List.of(type.getEnumConstants()).toString().toLowerCase(Locale.ROOT));
    }

    /** With whom it takes turns; null for a director that stands alone. */
    Vrrp vrrp() {
        if (vrrp == null) {
            return null;
        }
        if (vrrp.device == null || vrrp.source == null) {
            throw bad("vrrp: it needs device, source and peers");
        }
        List<VirtualAddress> addresses = Stream.concat(cluster().pools().stream().flatMap(pool -> pool.addresses().stream()).distinct()
                .map(VirtualAddress::of), vrrp.gateways.stream().map(FrontendConfiguration::gateway)).toList();
        return new Vrrp(vrrp.device, vrrp.router, vrrp.priority, literal("vrrp.source", vrrp.source),
                vrrp.peers.stream().map(peer -> literal("vrrp.peers", peer)).toList(), MapConfiguration.parseDuration("vrrp.advertisement",
                vrrp.advertisement), addresses, vrrp.synchronisation == null ? vrrp.device : vrrp.synchronisation);
    }

    private static VirtualAddress gateway(String text) {
        Matcher words = GATEWAY.matcher(String.valueOf(text));
        if (!words.matches()) {
            throw bad("vrrp.gateways has '" + text + "'; it must be an address with its length and the interface that gets it: 10.0.2.1/24 dev eth1");
        }
        return new VirtualAddress(literal("vrrp.gateways", words.group(1)), Integer.parseInt(words.group(2)), words.group(3));
    }

    private static InetAddress literal(String key, String text) {
        InetAddress address = Addresses.literal(String.valueOf(text));
        if (address == null) {
            throw bad(key + " has '" + text + "', which is no address of IPv4 or IPv6");
        }
        return address;
    }

    Duration checkPeriod() {
        return MapConfiguration.parseDuration("check.period", check.period);
    }

    Duration checkTimeout() {
        return MapConfiguration.parseDuration("check.timeout", check.timeout);
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what);
    }
}
