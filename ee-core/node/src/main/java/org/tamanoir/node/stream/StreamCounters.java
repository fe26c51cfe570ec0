package org.tamanoir.node.stream;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.ErrorCode;

/**
 * What a node counts of all its streams together; errors by their code.
 *
 * @param opened              streams that were let in
 * @param reused              streams that came on a connection that an earlier one had left
 * @param completed           streams that ended cleanly
 * @param packetsIn           packets from the side of the source
 * @param bytesIn             octets from the side of the source
 * @param bytesOut            octets given to next hops
 * @param packetsBack         packets from the side of the destination
 * @param bytesBack           octets from the side of the destination
 * @param bytesReturned       octets given to sources
 * @param datagramsOverflowed datagrams thrown away because too many waited for a service or for room
 * @param datagramsUnproven   answers thrown away because their recipient has not shown that it is where it says
 * @param datagramsOverRate   datagrams thrown away because their sender may send no more by the access policy
 * @param hopsLeft            times that a stream took another next hop of its route because one could not be reached or took no streams
 * @param servicesLeftOut     services that could not be had and were left out, as their packets allow
 * @param waits               how long they wait
 */
public record StreamCounters(LongAdder opened, LongAdder reused, LongAdder completed, LongAdder packetsIn, LongAdder bytesIn, LongAdder bytesOut,
                             LongAdder packetsBack, LongAdder bytesBack, LongAdder bytesReturned, LongAdder datagramsOverflowed,
                             LongAdder datagramsUnproven, LongAdder datagramsOverRate, LongAdder hopsLeft, LongAdder servicesLeftOut, Map<ErrorCode, LongAdder> errors, StreamWaits waits) {
    public StreamCounters() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(),
                new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new EnumMap<>(ErrorCode.class), new StreamWaits());
        for (ErrorCode code : ErrorCode.values()) {
            errors.put(code, new LongAdder());
        }
    }

    /** A packet or a stream has met an error. */
    public void error(ErrorCode code) {
        errors.get(code).increment();
    }

    /** Codes that have occurred, and how often. */
    public Map<String, Long> errorCounts() {
        Map<String, Long> counts = new TreeMap<>();
        errors.forEach((code, count) -> {
            if (count.sum() > 0) {
                counts.put(code.toString(), count.sum());
            }
        });
        return counts;
    }
}
