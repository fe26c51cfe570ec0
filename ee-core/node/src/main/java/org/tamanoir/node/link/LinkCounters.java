package org.tamanoir.node.link;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a node counts of the datagrams that are for itself and of those that its services send.
 *
 * @param in        datagrams that came for a service that speaks on links
 * @param inOctets  of them
 * @param out       datagrams given to the socket
 * @param outOctets of them
 * @param dropped   by reason
 */
public record LinkCounters(LongAdder in, LongAdder inOctets, LongAdder out, LongAdder outOctets, Map<Drop, LongAdder> dropped) {
    /** Why a datagram went no further. */
    public enum Drop {
        /** Its sender is neither a neighbour nor a member. */
        NOT_LISTED,
        /** Too many wait for the handler's thread. */
        NO_ROOM,
        /** Its service is not there, or not yet. */
        NO_SERVICE,
        /** The service has opened no handler, or is suspended. */
        NO_HANDLER,
        /** The handler refused it or failed at it. */
        SERVICE_FAILED,
        /** It came to a group and is not for the node itself. */
        MISDIRECTED,
        /** To be sent: too much waits for the socket. */
        SOCKET_FULL,
        /** To be sent to a group: the node has no interface for groups. */
        NO_INTERFACE;

        /** {@code no-room}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    LinkCounters() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new EnumMap<>(Drop.class));
        for (Drop reason : Drop.values()) {
            dropped.put(reason, new LongAdder());
        }
    }

    void drop(Drop reason) {
        dropped.get(reason).increment();
    }

    /** Reasons that have occurred, and how often. */
    public Map<String, Long> drops() {
        Map<String, Long> counts = new TreeMap<>();
        dropped.forEach((reason, count) -> {
            if (count.sum() > 0) {
                counts.put(reason.word(), count.sum());
            }
        });
        return counts;
    }
}
