package org.tamanoir.cluster.ipvs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Transport;

/**
 * What IPVS knows a virtual service by: transport, address and port, or a firewall mark with a family of addresses.
 *
 * @param transport null for a firewall mark
 * @param end       null for a firewall mark
 * @param mark      0 for an address and port
 * @param six       whether a mark is for IPv6
 */
record ServiceKey(Transport transport, InetSocketAddress end, long mark, boolean six) {
    static ServiceKey of(Transport transport, InetAddress address, int port) {
        return new ServiceKey(transport, new InetSocketAddress(address, port), 0, address instanceof Inet6Address);
    }

    static ServiceKey ofMark(long mark, boolean six) {
        return new ServiceKey(null, null, mark, six);
    }

    boolean isMark() {
        return transport == null;
    }

    /** The arguments that ipvsadm names it by. */
    List<String> arguments() {
        if (isMark()) {
            return six ? List.of("--fwmark-service", Long.toString(mark), "--ipv6") : List.of("--fwmark-service", Long.toString(mark));
        }
        return List.of(transport == Transport.TCP ? "--tcp-service" : "--udp-service", end(end));
    }

    /** Where IPVS has a real server in this service; in one by a firewall mark it has no port and gets packets with the port that they have. */
    InetSocketAddress place(RealServer server) {
        return new InetSocketAddress(server.address(), isMark() ? 0 : server.port());
    }

    /** {@code tcp_10.0.0.1_3322} or {@code mark4_17}: a word for files and names, another for each. */
    String word() {
        return isMark() ? (six ? "mark6_" : "mark4_") + mark
                : transport.name().toLowerCase(Locale.ROOT) + '_' + end.getAddress().getHostAddress().replace(':', '-') + '_' + end.getPort();
    }

    /** As ipvsadm lists it; {@link IpvsTable#key} reads it again. */
    @Override
    public String toString() {
        return isMark() ? "FWM " + mark + (six ? " IPv6" : "") : transport + " " + end(end);
    }

    /** {@code 10.0.0.1:80} or {@code [fd00::1]:80}. */
    static String end(InetSocketAddress end) {
        String address = end.getAddress().getHostAddress();
        return (end.getAddress() instanceof Inet6Address ? "[" + address + "]" : address) + ":" + end.getPort();
    }
}
