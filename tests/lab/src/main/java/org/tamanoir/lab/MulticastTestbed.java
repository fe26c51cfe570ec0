package org.tamanoir.lab;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The network of a reliable multicast: a source, and receivers in groups at several sites, ten milliseconds away.
 *
 * <pre>
 *                              ┌── site1 ── br0 ─┬─ r1-1
 *                              │                 ├─ r1-2
 *   source ── core ── delay ───┤                 └─ …
 *                              ├── site2 ── br0 ── …
 *                              └── …
 * </pre>
 *
 * <p>Everybody reaches everybody by IPv4 and IPv6; core and site routers are ordinary routers. What is lost arrives at a receiver
 * ({@link #independent}) or at a site's router from the core ({@link #site}), and may be changed at any time. The network carries no IP
 * multicast from the source to the receivers before {@link #routeMulticast}; within a site everything that is sent into {@code br0} reaches
 * every host. A packet is a packet everywhere: nothing is cut or joined on the way.
 *
 * @param access first end: source; second: core
 */
public record MulticastTestbed(Lab lab, Link access, DelayBox delay, List<Site> sites, List<Loss> receiverLoss, List<Loss> siteLoss, Counters counters)
        implements AutoCloseable {
    public static final int MAX_SITES = 12;
    /** At each site. */
    public static final int MAX_RECEIVERS = 8;
    private static final Duration ONE_WAY = Duration.ofMillis(10);
    private static final LinkOptions OPTIONS = LinkOptions.DEFAULT.offloads(false);

    /**
     * A site.
     *
     * @param router    between the core and the local network
     * @param backbone  from the core (its first end) through the delay box to the router (its second end)
     * @param lan       the local network
     * @param ports     the end of each receiver on the local network
     */
    public record Site(Host router, Link backbone, Bridge lan, List<Port> ports) {
        public List<Host> receivers() {
            return ports.stream().map(Port::host).toList();
        }
    }

    /**
     * What the links have carried, lost packets included: UDP and TCP, in octets of IP packets.
     *
     * @param fromSource on the source's link, toward the core
     * @param toSource   on the same, toward the source
     * @param toSites    on the link from the core to each site
     * @param fromSites  on the same, toward the core
     */
    public record Traffic(PacketCounter.Count fromSource, PacketCounter.Count toSource, List<PacketCounter.Count> toSites,
            List<PacketCounter.Count> fromSites) {
        /** What was carried since. */
        public Traffic minus(Traffic earlier) {
            return new Traffic(fromSource.minus(earlier.fromSource), toSource.minus(earlier.toSource), minus(toSites, earlier.toSites),
                    minus(fromSites, earlier.fromSites));
        }

        private static List<PacketCounter.Count> minus(List<PacketCounter.Count> now, List<PacketCounter.Count> earlier) {
            return IntStream.range(0, now.size()).mapToObj(i -> now.get(i).minus(earlier.get(i))).toList();
        }

        /** Of all sites together. */
        public static PacketCounter.Count sum(List<PacketCounter.Count> counts) {
            return new PacketCounter.Count(counts.stream().mapToLong(PacketCounter.Count::packets).sum(),
                    counts.stream().mapToLong(PacketCounter.Count::bytes).sum());
        }
    }

    /** Of {@link Traffic}. */
    record Counters(PacketCounter fromSource, PacketCounter toSource, List<PacketCounter> toSites, List<PacketCounter> fromSites) {
    }

    /**
     * The testbed, without loss.
     *
     * @param sites     1 to 12
     * @param receivers at each, 1 to 8
     * @throws LabException if something is missing that cannot be installed (ethtool, make, gcc); the message names the remedy
     */
    public static MulticastTestbed open(int sites, int receivers) {
        if (sites < 1 || sites > MAX_SITES || receivers < 1 || receivers > MAX_RECEIVERS) {
            throw new IllegalArgumentException("1 to " + MAX_SITES + " sites of 1 to " + MAX_RECEIVERS + " receivers");
        }
        DebianPackages.require("ethtool", "ethtool");
        return Lab.open(lab -> make(lab, sites, receivers));
    }

    private static MulticastTestbed make(Lab lab, int count, int receivers) {
        Host source = lab.host("source");
        Host core = lab.host("core");
        core.forward(true);
        Link access = lab.link(source, core, OPTIONS);
        source.routeAll(access.second());
        DelayBox delay = new DelayBox(lab.host("delay"), ONE_WAY);
        List<Site> sites = IntStream.rangeClosed(1, count).mapToObj(i -> site(lab, core, delay, i, receivers)).toList();
        List<Loss> siteLoss = sites.stream().map(site -> site.backbone().second().lose(0)).toList();
        List<Loss> receiverLoss = sites.stream().flatMap(site -> site.ports().stream()).map(port -> port.lose(0)).toList();
        Counters counters = new Counters(access.second().arriving(), access.first().arriving(),
                sites.stream().map(site -> site.backbone().second().arriving()).toList(),
                sites.stream().map(site -> site.backbone().first().arriving()).toList());
        delay.start();
        return new MulticastTestbed(lab, access, delay, sites, receiverLoss, siteLoss, counters);
    }

    private static Site site(Lab lab, Host core, DelayBox delay, int number, int receivers) {
        Host router = lab.host("site" + number);
        router.forward(true);
        Link backbone = lab.link(core, delay, router, OPTIONS);
        router.routeAll(backbone.first());
        Bridge lan = lab.bridge(router, OPTIONS);
        core.route(lan, backbone.second());
        List<Port> ports = IntStream.rangeClosed(1, receivers).mapToObj(i -> lan.join(lab.host("r" + number + "-" + i))).toList();
        ports.forEach(port -> port.host().routeAll(lan.port()));
        return new Site(router, backbone, lan, ports);
    }

    /** Every receiver loses this part of what arrives at it, each packet and receiver by chance. @param part 0 to 1 */
    public void independent(double part) {
        receiverLoss.forEach(loss -> loss.change(part));
    }

    /** Every site's router loses this part of what arrives from the core, so that the whole site misses it. @param part 0 to 1 */
    public void site(double part) {
        siteLoss.forEach(loss -> loss.change(part));
    }

    /**
     * Has the routers carry IPv4 groups from the source to every site (smcroute). Once.
     *
     * @throws LabException if smcroute is missing and cannot be installed
     */
    public void routeMulticast(String... groups) {
        MulticastRoutes.start(this, List.of(groups));
    }

    public Host source() {
        return access.first().host();
    }

    public Host core() {
        return access.second().host();
    }

    /** The hosts of all sites, site after site. */
    public Stream<Host> receivers() {
        return sites.stream().flatMap(site -> site.receivers().stream());
    }

    /** What the links have carried so far. */
    public Traffic traffic() {
        return new Traffic(counters.fromSource.count(), counters.toSource.count(), read(counters.toSites), read(counters.fromSites));
    }

    private static List<PacketCounter.Count> read(List<PacketCounter> counters) {
        return counters.stream().map(PacketCounter::count).toList();
    }

    /** What the delay box has carried and dropped so far. */
    public DelayBox.Count delayed() {
        return delay.count();
    }

    @Override
    public void close() {
        lab.close();
    }
}
