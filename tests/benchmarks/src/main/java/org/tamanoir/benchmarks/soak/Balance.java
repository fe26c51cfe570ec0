package org.tamanoir.benchmarks.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.tamanoir.benchmarks.soak.Books.ReceivedStream;
import org.tamanoir.benchmarks.soak.Books.SentStream;

/**
 * What was sent held against what arrived, for the streams of one transport.
 *
 * @param streams    opened by the source
 * @param lasting    those of them that lived through the run
 * @param broken     streams that did not begin, or did not end cleanly on both sides
 * @param sent       packets
 * @param lost       sent, and not come intact
 * @param duplicated come more than once, each time after the first
 * @param outOfOrder come after one that was sent later
 * @param damaged    come with other octets, or on another stream
 * @param unserved   come without having met the service on both nodes
 * @param changed    streams that did not stay on one version of the service on each node
 * @param versions   versions that new streams met on the first node
 * @param reasons    of what is broken, at most {@value #MOST_REASONS}
 */
public record Balance(int streams, long lasting, int broken, long sent, long lost, long duplicated, long outOfOrder, long damaged,
                      long unserved, long changed, long versions, List<String> reasons) {
    private static final int MOST_REASONS = 5;

    /** @param udp which transport */
    public static Balance of(List<SentStream> sent, List<ReceivedStream> received, boolean udp) {
        List<SentStream> opened = sent.stream().filter(stream -> stream.udp() == udp).toList();
        // What came on no stream that was opened counts as well: only loss needs the other side's figure.
        List<ReceivedStream> all = received.stream().filter(stream -> stream.udp() == udp).toList();
        Map<Long, ReceivedStream> arrived = new HashMap<>();
        all.forEach(stream -> arrived.put(stream.id(), stream));
        List<String> reasons = new ArrayList<>();
        for (SentStream stream : opened) {
            String why = whyBroken(stream, arrived.get(stream.id()));
            if (why != null) {
                reasons.add((udp ? "UDP" : "TCP") + " stream " + Long.toHexString(stream.id()) + ": " + why);
            }
        }
        return new Balance(opened.size(), opened.stream().filter(SentStream::lasting).count(), reasons.size(), sum(opened, SentStream::sent),
                sum(opened, stream -> stream.sent() - (arrived.containsKey(stream.id()) ? arrived.get(stream.id()).received() : 0)),
                sum(all, ReceivedStream::duplicated), sum(all, ReceivedStream::outOfOrder), sum(all, ReceivedStream::damaged),
                sum(all, ReceivedStream::unserved), all.stream().filter(stream -> stream.changes() > 0).count(),
                all.stream().map(ReceivedStream::firstIngress).filter(version -> version > 0).distinct().count(),
                reasons.stream().limit(MOST_REASONS).toList());
    }

    private static <T> long sum(List<T> streams, ToLongFunction<T> count) {
        return streams.stream().mapToLong(count).sum();
    }

    private static String whyBroken(SentStream sent, ReceivedStream received) {
        if (sent.broken() != null) {
            return sent.broken();
        }
        return received == null ? "nothing of it arrived" : received.ended() ? null : "it did not end cleanly at the receiver";
    }
}
