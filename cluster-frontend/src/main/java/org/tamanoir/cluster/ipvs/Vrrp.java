package org.tamanoir.cluster.ipvs;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * How this director and others agree on which of them is the master: VRRP version 3 (RFC 5798), in unicast, without authentication, which version 3 has
 * not. A master that comes back does not take over again: its table of connections is empty.
 *
 * @param networkInterface that advertisements go through, where the virtual addresses are
 * @param router           identifier of the virtual router, 1 to 255; the same for all its directors, and no other's on this link
 * @param priority         1 to 254; the highest that is alive becomes master
 * @param source           own address of advertisements
 * @param peers            addresses of the other directors, of the same family
 * @param advertisement    how often the master says that it is there, 10 ms to 40 s; without one for three of them and a bit another takes over
 * @param addresses        that the master has; at least one of the family of {@code source}
 * @param synchronisation  interface by which the master tells the others of its connections; null for not at all
 */
public record Vrrp(String networkInterface, int router, int priority, InetAddress source, List<InetAddress> peers, Duration advertisement,
                   List<VirtualAddress> addresses, String synchronisation) {
    /** Another director takes over after 1.5 to 2 s. */
    public static final Duration ADVERTISEMENT = Duration.ofMillis(500);

    /** @throws AnepException EE-905 */
    public Vrrp {
        SafeWords.networkInterface(networkInterface);
        SafeWords.number(router, 1, 255, "the identifier of the virtual router");
        SafeWords.number(priority, 1, 254, "the priority");
        SafeWords.address(source, "the source of advertisements");
        peers = List.copyOf(peers);
        addresses = List.copyOf(addresses);
        for (InetAddress peer : peers) {
            SafeWords.address(peer, "a peer");
            if (!family(peer, source) || peer.equals(source)) {
                throw new AnepException(ErrorCode.KEEPALIVED, "the peer " + peer.getHostAddress() + " is of another family than the source of "
                        + "advertisements, or that itself");
            }
        }
        if (peers.isEmpty()) {
            throw new AnepException(ErrorCode.KEEPALIVED, "VRRP needs the address of another director");
        }
        if (addresses.stream().noneMatch(each -> family(each.address(), source))) {
            throw new AnepException(ErrorCode.KEEPALIVED, "VRRP needs a virtual address of the family of its advertisements");
        }
        SafeWords.number((int) Math.min(advertisement.toMillis(), Integer.MAX_VALUE), 10, 40_000, "the interval of advertisements, in milliseconds,");
        if (synchronisation != null) {
            SafeWords.networkInterface(synchronisation);
        }
    }

    static boolean family(InetAddress one, InetAddress other) {
        return one.getAddress().length == other.getAddress().length;
    }
}
