package org.tamanoir.services.coalesce;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketJoiner;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.coalesce.ServiceCounters.Cause;

/**
 * The direction of a stream that is joined here.
 *
 * <p>A packet that finds the way quiet, nothing having left for as long as a packet may wait, leaves at once: a stream of few packets is not
 * delayed. What comes sooner is held until the time is over since something left, or until the joined packet is full. So there is one datagram
 * in each such time, and more of them only if they are full.
 */
final class JoinedDirection {
    private final StreamContext stream;
    private final long delayNanos;
    private final ServiceCounters totals;
    private final PacketJoiner joiner;
    private final Task due;
    private boolean timed;
    private int codePoint;
    /** When something left last; one delay before the first packet comes. */
    private long leftNanos;
    private long packets;
    private long joined;
    private long sent;

    /**
     * @param toDestination whether packets are joined on their way to the destination, rather than to the source
     * @param mtu           octets of a joined packet, at most
     */
    JoinedDirection(StreamContext stream, boolean toDestination, long delayNanos, int mtu, ServiceCounters totals) {
        this.stream = stream;
        this.delayNanos = delayNanos;
        this.totals = totals;
        this.joiner = new PacketJoiner(mtu);
        this.due = (forward, back) -> timeIsOver(toDestination ? forward : back);
        this.leftNanos = stream.nanoTime() - delayNanos;
    }

    Verdict packet(Packet packet, Output out) {
        packets++;
        totals.packets.increment();
        if (joiner.packets() > 0 && !(joiner.fits(packet) && packet.codePoint() == codePoint)) {
            send(packet.length() > joiner.room() ? Cause.SIZE : Cause.ORDER, out);
        }
        if (joiner.packets() == 0) {
            long now = stream.nanoTime();
            if (!joiner.fits(packet)) {
                return alone(Cause.ORDER, now);
            }
            if (now - leftNanos >= delayNanos) {
                return alone(Cause.QUIET, now);
            }
            codePoint = packet.codePoint();
            if (!timed) {
                timer(now);
            }
        }
        joiner.add(packet, out.allocator());
        if (joiner.room() < packet.length()) {
            // Another one like this would have to wait for the next.
            send(Cause.SIZE, out);
        }
        return Verdict.TAKEN;
    }

    private Verdict alone(Cause cause, long now) {
        leftNanos = now;
        sent++;
        totals.sent(cause, 1);
        return Verdict.PASS;
    }

    private void timer(long now) {
        timed = true;
        stream.later(Duration.ofNanos(leftNanos + delayNanos - now), due);
    }

    /** One timer serves all that is held: what it was set for may have left, and something else may be held that has more time. */
    private void timeIsOver(Output out) {
        timed = false;
        if (joiner.packets() == 0) {
            return;
        }
        long now = stream.nanoTime();
        if (now - leftNanos >= delayNanos) {
            send(Cause.DEADLINE, out);
        } else {
            timer(now);
        }
    }

    /** The stream ends: what is held leaves. */
    void flush(Output out) {
        if (joiner.packets() > 0) {
            send(Cause.ORDER, out);
        }
    }

    private void send(Cause cause, Output out) {
        int held = joiner.packets();
        leftNanos = stream.nanoTime();
        sent++;
        joined += held > 1 ? held : 0;
        totals.sent(cause, held);
        if (codePoint > 0) {
            out.mark(codePoint);
        }
        out.emit(joiner.take());
        if (codePoint > 0) {
            out.mark(-1);
        }
    }

    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("does", "join");
        report.put("packets", packets);
        report.put("joined", joined);
        report.put("sent", sent);
        return report;
    }

    void close() {
        joiner.release();
    }
}
