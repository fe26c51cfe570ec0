package org.tamanoir.service.qos;

import java.util.List;
import java.util.Map;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Action;

/** Allocates the capacity of classes, and polices, marks and shapes flows. Type ID {@value #TYPE_ID}. Safe for all threads. */
public interface QosEnforcement {
    /** The Type ID of the service that does this. */
    int TYPE_ID = 0x5409;

    /**
     * Gives a session a share of a class in place of the one that it has: all of it, or nothing changes. In a class without guarantee there is
     * nothing to give, and the answer is true.
     *
     * @param rate octets a second
     * @return false if so much is not left
     */
    boolean allocate(long session, QosClass qosClass, long rate);

    /** Takes a session's share back; nothing happens if it has none. */
    void release(long session);

    /** Octets a second that are allocated, by the name of the class. The sum of the shares in a class is never over its capacity. */
    Map<String, Long> allocated();

    /**
     * The actions of a light rule that do everything for a flow, so that a kernel can do it: count, meter, mark; what follows is the caller's.
     *
     * @return empty if that needs more than a rule: streams over TCP, shaping, remarking into a class with a guarantee
     */
    List<Action> rule(Order order);

    /** Treats the packets of one flow where no rule does. */
    Conditioner conditioner(Order order);

    /**
     * How a flow is to be treated.
     *
     * @param session  its code
     * @param level    what it has asked for
     * @param qosClass chosen for it
     * @param rate     octets a second that it may send in the class; 0 for a class without guarantee
     * @param classes  all of the domain
     */
    record Order(long session, ServiceLevel level, Transport transport, QosClass qosClass, long rate, List<QosClass> classes) {
        public Order {
            classes = List.copyOf(classes);
        }
    }

    /** Treats the packets of one stream, one after the other. Used by one thread at a time. */
    interface Conditioner {
        /** The packet goes no further. */
        int DROP = -1;
        /** Not now: {@link #readyNanos} says when to ask again. Nothing has been taken for it. */
        int WAIT = -2;

        /**
         * What becomes of the next packet.
         *
         * @param octets of the IP packet; on TCP of the ANEP packet
         * @param nanos  the time
         * @return the code point that it leaves with, 0 to 63; {@link #DROP}; or {@link #WAIT}
         */
        int admit(int octets, long nanos);

        /**
         * As {@link #admit(int, long)}, for a packet that has stood behind others: the time that it may wait has begun when it came.
         *
         * @param arrived when it came; the same as {@code nanos} if nothing was before it
         */
        default int admit(int octets, long arrived, long nanos) {
            return admit(octets, nanos);
        }

        /** After {@link #WAIT}: when the packet can go. */
        long readyNanos();

        /** The flow is treated differently from now on; buckets go on as they are. */
        void change(Order order);
    }
}
