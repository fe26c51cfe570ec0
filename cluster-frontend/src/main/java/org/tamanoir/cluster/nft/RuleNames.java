package org.tamanoir.cluster.nft;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Locale;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Transport;

/** How addresses stand in rules, and the names of what is made for services: made of addresses and ports alone, so no name of a back end gets into a rule. */
final class RuleNames {
    private RuleNames() {
    }

    /** {@code tcp} or {@code udp}. */
    static String of(Transport transport) {
        return transport.name().toLowerCase(Locale.ROOT);
    }

    /** {@code ip} or {@code ip6}. */
    static String family(InetAddress address) {
        return address instanceof Inet4Address ? "ip" : "ip6";
    }

    /** An address as nft(8) and conntrack(8) read it, without the zone that Java writes behind link-local ones. */
    static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    /** {@code 10.0.0.1:80}, {@code [fd00::1]:80}. */
    static String endpoint(InetAddress address, int port) {
        return (address instanceof Inet4Address ? text(address) : "[" + text(address) + "]") + ":" + port;
    }

    /** For messages: {@code tcp 10.0.0.1:80}. */
    static String words(VirtualService service) {
        return of(service.transport()) + " " + endpoint(service.address(), service.port());
    }

    /** {@code tcp_0a000001_80}. */
    static String of(VirtualService service) {
        return of(service.transport()) + "_" + hex(service.address()) + "_" + service.port();
    }

    /** {@code tcp_0a000001_80_0a000102_80}: a back end in a service. */
    static String of(VirtualService service, RealServer server) {
        return of(service) + "_" + hex(server.address()) + "_" + server.port();
    }

    /** {@code tcp_0a000102_80}: where a back end takes connections, whatever service leads there. */
    static String of(Transport transport, RealServer server) {
        return of(transport) + "_" + hex(server.address()) + "_" + server.port();
    }

    /** The sources that a back end has, over TCP and UDP of one address and port. */
    static String sources(VirtualService service, RealServer server, long seconds) {
        return "sources_" + seconds + "_" + hex(service.address()) + "_" + service.port() + "_" + hex(server.address());
    }

    private static String hex(InetAddress address) {
        return HexFormat.of().formatHex(address.getAddress());
    }
}
