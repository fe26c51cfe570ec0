package org.tamanoir.node.access;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.tamanoir.identity.token.Token;
import org.tamanoir.node.identity.Peers.Peer;
import org.tamanoir.node.routing.Ports;
import org.tamanoir.service.rule.Prefix;

/**
 * One rule of the access policy.
 *
 * @param line     where it begins in the file
 * @param allow    false for one that refuses
 * @param text     as the file has it, for people
 * @param who      whose streams it decides
 * @param to       destinations that it is for; empty for all
 * @param services that it is for; unsaid for all but guests', and for a rule that refuses for those too. All services of a stream must be among those that a rule allows, one is enough for a rule that refuses
 * @param classes  code points that packets may leave with besides 0; null for all
 * @param streams  that one identity may have open at a time; 0 for no limit
 * @param rate     bits a second of all streams of one identity, both ways together; 0 for no limit
 */
record AccessRule(int line, boolean allow, String text, Who who, List<Target> to, ServiceSet services, Set<Integer> classes, int streams, long rate) {
    /** Destinations: addresses and ports. */
    record Target(Prefix prefix, Ports ports) {
        boolean contains(InetSocketAddress destination) {
            return prefix.contains(destination.getAddress()) && ports.contain(destination.getPort());
        }

        boolean covers(Target other) {
            return prefix.covers(other.prefix) && ports.cover(other.ports);
        }
    }

    /**
     * Whose streams: everybody's if nothing is said.
     *
     * @param peer    an address prefix or the name in a certificate; null if a token says who it is
     * @param issuer  of tokens; null where there is a peer
     * @param subject of the token; null for any
     * @param scope   that the token must include; null for none
     * @param group   that the token must name; null for none
     */
    record Who(Peer peer, String issuer, String subject, String scope, String group) {
        static final Who ANYBODY = new Who(null, null, null, null, null);

        /** By what name somebody counts here; null if they are not meant. */
        String identity(Request request) {
            if (issuer != null) {
                return request.token() != null && isOf(request.token()) ? request.token().bearer() : null;
            }
            if (peer != null && peer.prefix() == null) {
                return request.names().stream().filter(peer::isNamed).findFirst().orElse(null);
            }
            return peer == null || peer.prefix().contains(request.address()) ? Prefix.ofPeer(request.address()).toString() : null;
        }

        private boolean isOf(Token token) {
            return issuer.equals(token.issuer()) && (subject == null || subject.equals(token.subject())) && (scope == null || token.allows(scope))
                    && (group == null || token.groups().contains(group));
        }

        /** Whether everybody whom the other means is meant here too. */
        boolean covers(Who other) {
            if (equals(ANYBODY) || equals(other)) {
                return true;
            }
            if (issuer != null) {
                return issuer.equals(other.issuer) && covers(subject, other.subject) && covers(scope, other.scope) && covers(group, other.group);
            }
            return other.peer != null && peer.covers(other.peer);
        }

        private static boolean covers(String mine, String others) {
            return mine == null || mine.equals(others);
        }
    }

    /**
     * What is asked.
     *
     * @param names    that the peer has proven by its certificate
     * @param token    null for none
     * @param services Type IDs in order
     * @param guests   names of guests' services among them, by Type ID, as far as they are known
     */
    record Request(InetAddress address, List<String> names, Token token, InetSocketAddress destination, List<Integer> services, Map<Integer, String> guests) {
        Request(InetAddress address, List<String> names, Token token, InetSocketAddress destination, List<Integer> services) {
            this(address, names, token, destination, services, Map.of());
        }

        Request with(Token shown) {
            return new Request(address, names, shown, destination, services, guests);
        }

        Request with(Map<Integer, String> known) {
            return new Request(address, names, token, destination, services, known);
        }
    }

    /** Whether what it decides depends on the name of a guest's service that is not known yet. */
    boolean needsNames(Request request) {
        return isDestined(request) && who.identity(request) != null && serves(request) == ServiceSet.Answer.UNKNOWN;
    }

    private boolean isDestined(Request request) {
        return to.isEmpty() || to.stream().anyMatch(target -> target.contains(request.destination()));
    }

    private ServiceSet.Answer serves(Request request) {
        return allow ? services.allowAll(request.services(), request.guests()) : services.denyAny(request.services(), request.guests());
    }

    /** The identity whose stream it decides; null if it decides nothing. */
    String matches(Request request) {
        return isDestined(request) && serves(request) == ServiceSet.Answer.YES ? who.identity(request) : null;
    }

    /** Whether it decides every stream that the other could: the other, behind it, is never reached. */
    boolean covers(AccessRule other) {
        return who.covers(other.who) && (to.isEmpty() || !other.to.isEmpty() && other.to.stream().allMatch(their -> to.stream().anyMatch(mine -> mine.covers(their))))
                && coversServices(other);
    }

    private boolean coversServices(AccessRule other) {
        if (services.isUnsaid()) {
            return !allow || other.services.guests().isEmpty();
        }
        return !other.services.isUnsaid() && services.covers(other.services) && (other.allow || !allow);
    }

    /** Whether it says more of a stream than that it may be opened. */
    boolean isLimiting() {
        return classes != null || rate > 0;
    }

    @Override
    public String toString() {
        return "line " + line + ": " + text;
    }

    /** Lines apart, the same rule: what is counted for it goes on when the file changes elsewhere. */
    @Override
    public boolean equals(Object other) {
        return other instanceof AccessRule that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text);
    }
}
