package org.tamanoir.services.coalesce;

import java.time.Duration;
import java.util.Map;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/**
 * Joins the small datagrams of a stream between the first and the last node of its path, for links that carry so many packets a second and no more.
 * Type ID 0x5410.
 *
 * <p>Toward the destination the ingress joins and the egress splits; on the way back the roles are exchanged. What leaves the last node is what
 * came to the first, packet for packet. A node in transit, or one that is the only one, passes everything, and so does every node over TCP.
 */
@Component
public final class Coalesce implements ActiveService {
    private static final Duration LONGEST = Duration.ofMillis(100);
    /** IPv4 and UDP leave so much of a datagram. */
    private static final int LARGEST = 65_507;
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    private final ServiceCounters totals = new ServiceCounters();
    private long delayNanos;
    private int mtu;

    @Override
    public void start(ServiceContext service) {
        Configuration options = service.configuration();
        Duration delay = options.duration("delay", Duration.ofMillis(1));
        if (delay.isZero() || delay.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "delay is " + delay.toMillis() + " ms; it must be from 1ms to 100ms");
        }
        delayNanos = delay.toNanos();
        mtu = options.integer("mtu", 1400, 256, LARGEST);
        totals.register(service.metrics());
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.transport() == Transport.TCP) {
            return PASS;
        }
        return switch (stream.position()) {
            case INGRESS -> new CoalescedStream(true, new JoinedDirection(stream, true, delayNanos, mtu, totals), new SplitDirection(totals));
            case EGRESS -> new CoalescedStream(false, new JoinedDirection(stream, false, delayNanos, mtu, totals), new SplitDirection(totals));
            case TRANSIT, ONLY -> PASS;
        };
    }

    /**
     * One stream at an end of the path.
     *
     * @param ingress whether packets toward the destination are joined here, and those on the way back split; at the egress it is the other way round
     */
    private record CoalescedStream(boolean ingress, JoinedDirection joined, SplitDirection split) implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return ingress ? joined.packet(packet, out) : split.packet(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            return ingress ? split.packet(packet, out) : joined.packet(packet, out);
        }

        @Override
        public void onEnd(Output out) {
            if (ingress) {
                joined.flush(out);
            }
        }

        @Override
        public Map<String, Object> report() {
            return Map.of("toDestination", ingress ? joined.report() : split.report(), "toSource", ingress ? split.report() : joined.report());
        }

        @Override
        public void close() {
            joined.close();
        }
    }
}
