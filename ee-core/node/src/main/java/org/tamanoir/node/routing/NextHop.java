package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.TcpSockets;

/**
 * A node that is next on the way.
 *
 * @param address where it takes streams
 * @param weight  its share of them beside the others of its route, 0 to 1,000; with 0 it is a spare, which gets streams when none of the others takes any
 */
public record NextHop(InetSocketAddress address, int weight) {
    /** Of one route. */
    static final int MOST = 16;
    private static final int HEAVIEST = 1000;

    /** Reads {@code HOST:PORT} or {@code HOST:PORT*WEIGHT}. @throws AnepException EE-501, without the prefix of the route */
    static NextHop parse(String text) {
        int star = text.lastIndexOf('*');
        String at = star < 0 ? text : text.substring(0, star);
        int colon = at.lastIndexOf(':');
        int port = colon <= 0 ? -1 : number(at.substring(colon + 1));
        if (port < 1 || port > 0xFFFF) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' is neither HOST:PORT nor tls://HOST:PORT nor direct nor direct:PORTS");
        }
        int weight = star < 0 ? 1 : number(text.substring(star + 1));
        if (weight < 0 || weight > HEAVIEST) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the weight of '" + text + "' is not 0 to " + HEAVIEST);
        }
        String host = at.substring(0, colon);
        InetSocketAddress address = new InetSocketAddress(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        if (address.isUnresolved()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the host '" + host + "' is not known");
        }
        return new NextHop(address, weight);
    }

    /** Reads several, with commas between them. @throws AnepException EE-501 for none, too many, one that stands twice, or spares alone */
    static List<NextHop> parseAll(String text) {
        List<NextHop> hops = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            NextHop hop = parse(each.trim());
            if (hops.stream().anyMatch(other -> other.address.equals(hop.address))) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + each.trim() + "' stands twice");
            }
            hops.add(hop);
        }
        if (hops.size() > MOST) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, hops.size() + " next hops are more than " + MOST);
        }
        if (hops.stream().allMatch(NextHop::isSpare)) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "every next hop of '" + text + "' is a spare; give one of them a weight");
        }
        return List.copyOf(hops);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    public boolean isSpare() {
        return weight == 0;
    }

    /** {@code host:port}. */
    String at() {
        return TcpSockets.text(address);
    }

    /** As in a file. */
    @Override
    public String toString() {
        return weight == 1 ? at() : at() + "*" + weight;
    }
}
