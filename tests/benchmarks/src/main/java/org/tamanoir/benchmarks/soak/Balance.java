package org.tamanoir.benchmarks.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
public record Balance(int streams, int lasting, int broken, long sent, long lost, long duplicated, long outOfOrder, long damaged,
                      long unserved, int changed, int versions, List<String> reasons) {
    private static final int MOST_REASONS = 5;

    /** @param udp which transport */
    public static Balance of(List<SentStream> sent, List<ReceivedStream> received, boolean udp) {
        Map<Long, ReceivedStream> arrived = new HashMap<>();
        received.stream().filter(stream -> stream.udp() == udp).forEach(stream -> arrived.put(stream.id(), stream));
        List<SentStream> opened = sent.stream().filter(stream -> stream.udp() == udp).toList();
        List<String> reasons = new ArrayList<>();
        long lost = 0;
        int broken = 0;
        for (SentStream stream : opened) {
            ReceivedStream other = arrived.get(stream.id());
            lost += stream.sent() - (other == null ? 0 : other.received());
            String why = whyBroken(stream, other);
            if (why != null) {
                broken++;
                if (reasons.size() < MOST_REASONS) {
                    reasons.add((udp ? "UDP" : "TCP") + " stream " + Long.toHexString(stream.id()) + ": " + why);
                }
            }
        }
        Set<Integer> versions = new HashSet<>();
        arrived.values().stream().map(ReceivedStream::firstIngress).filter(version -> version > 0).forEach(versions::add);
        // What came on no stream that was opened counts as well: only loss needs the other side's figure.
        List<ReceivedStream> all = received.stream().filter(stream -> stream.udp() == udp).toList();
        return new Balance(opened.size(), (int) opened.stream().filter(SentStream::lasting).count(), broken,
                opened.stream().mapToLong(SentStream::sent).sum(), lost,
                all.stream().mapToLong(ReceivedStream::duplicated).sum(), all.stream().mapToLong(ReceivedStream::outOfOrder).sum(),
                all.stream().mapToLong(ReceivedStream::damaged).sum(), all.stream().mapToLong(ReceivedStream::unserved).sum(),
                (int) all.stream().filter(stream -> stream.changes() > 0).count(), versions.size(), List.copyOf(reasons));
    }

    private static String whyBroken(SentStream sent, ReceivedStream received) {
        if (sent.broken() != null) {
            return sent.broken();
        }
        return received == null ? "nothing of it arrived" : received.ended() ? null : "it did not end cleanly at the receiver";
    }
}
