package org.tamanoir.node.identity;

import java.net.InetAddress;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * The nodes that the operator listed. A listed peer is believed in what a stranger may say only of himself: whose stream it passes on (source), which
 * path the stream took, that it hands a stream over, and that it has a code server.
 *
 * <p>Asked once a stream, by any thread; replaced as a whole.
 */
public final class Peers {
    private static final String SCHEME = "spiffe://";

    private volatile List<Peer> listed;

    public Peers(List<Peer> listed) {
        this.listed = List.copyOf(listed);
    }

    /** On a loopback address everybody who reaches the node is on this machine: such a node believes them unless it is told more. */
    public static List<Peer> loopbackOnly() {
        return List.of(Peer.parse("127.0.0.0/8"), Peer.parse("::1/128"));
    }

    public void replace(List<Peer> replacement) {
        listed = List.copyOf(replacement);
    }

    /**
     * Whether somebody is listed.
     *
     * @param address where packets come from
     * @param names   that the peer has proven by a certificate; none over plain TCP and UDP
     */
    public boolean isListed(InetAddress address, List<String> names) {
        for (Peer peer : listed) {
            if (peer.prefix() != null ? peer.prefix().contains(address) : names.stream().anyMatch(peer::isNamed)) {
                return true;
            }
        }
        return false;
    }

    /** Whether somebody is a stranger as far as the address tells: somebody is listed, all of them by address, and the address is none of theirs. */
    public boolean isStranger(InetAddress address) {
        List<Peer> now = listed;
        return !now.isEmpty() && now.stream().allMatch(peer -> peer.prefix() != null && !peer.prefix().contains(address));
    }

    /** Whether somebody who is not listed comes after those who are: not where nobody is. */
    public boolean isStranger(boolean isListed) {
        return !isListed && !listed.isEmpty();
    }

    /** Whether a name is listed: a next hop that has proven it is one of the nodes. */
    public boolean isNamed(String name) {
        return listed.stream().anyMatch(peer -> peer.prefix() == null && peer.isNamed(name));
    }

    /**
     * One line of the list: where peers are, or what their certificates say.
     *
     * @param prefix of their addresses, or null
     * @param name   a SPIFFE ID; one that ends in {@code /*} stands for all names below it; null where there is a prefix
     */
    public record Peer(Prefix prefix, String name) {
        /**
         * Reads {@code 203.0.113.7}, {@code 198.51.100.0/28}, {@code spiffe://example.org/node/a} or {@code spiffe://example.org/node/*}.
         *
         * @throws AnepException EE-501 if it is none of them
         */
        public static Peer parse(String text) {
            if (!text.startsWith(SCHEME)) {
                return new Peer(Prefix.parse(text), null);
            }
            int path = text.indexOf('/', SCHEME.length());
            int star = text.indexOf('*');
            if (path <= SCHEME.length() || path == text.length() - 1 || star >= 0 && !(star == text.length() - 1 && text.charAt(star - 1) == '/')) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' is not a name such as spiffe://example.org/node/a or spiffe://example.org/node/*");
            }
            return new Peer(null, text);
        }

        /** Whether a name is this one, or below it. Not for a prefix. */
        public boolean isNamed(String other) {
            return name.endsWith("*") ? other.startsWith(name.substring(0, name.length() - 1)) : name.equals(other);
        }

        /** Whether everybody whom another line means is meant here too. */
        public boolean covers(Peer other) {
            return prefix != null ? other.prefix != null && prefix.covers(other.prefix) : other.name != null && isNamed(other.name);
        }

        @Override
        public String toString() {
            return prefix != null ? prefix.toString() : name;
        }
    }
}
