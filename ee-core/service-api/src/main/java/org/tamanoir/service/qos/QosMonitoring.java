package org.tamanoir.service.qos;

import java.util.Collection;
import java.util.Map;

/** Measures classes on segments. Type ID {@value #TYPE_ID}. Safe for all threads. */
public interface QosMonitoring {
    /** The Type ID of the service that does this. */
    int TYPE_ID = 0x5407;

    /**
     * Measures these classes on a segment from now on. To be called again and again: what has not been asked for during a minute is not
     * measured any more. Other classes on a call replace those before.
     */
    void watch(Segment segment, Collection<QosClass> classes);

    /** The newest samples of a segment by the name of the class; without those of which nothing is known. */
    Map<String, ClassSample> samples(Segment segment);

    /**
     * A flow has been seen at work: what it carried counts as a measurement.
     *
     * @param limited whether the network held it back; otherwise it could have carried more
     */
    void carried(Segment segment, String className, long octets, long nanos, boolean limited);

    /**
     * The same, of a flow that can be told from others: how much its rate varies is a measurement too. May be called for a time in which
     * nothing came through.
     *
     * @param flow   another number for another flow, and for another share of the same one
     * @param octets 0 or more
     * @param by     what kept it from carrying more
     */
    default void carried(Segment segment, String className, long flow, long octets, long nanos, HeldBack by) {
        if (octets > 0) {
            carried(segment, className, octets, nanos, by == HeldBack.NETWORK);
        }
    }

    /** What keeps a flow from carrying more. */
    enum HeldBack {
        /** It had no more to send. */
        SOURCE,
        /** The network, or the receiver, took no more. */
        NETWORK,
        /** It had its share of the class and was not given more. */
        PROFILE
    }
}
