package org.tamanoir.services.theodolite;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** The end of one connection of a flow: lets it in by the token in its first packet, counts what comes, and answers with a {@link FlowReport}. */
final class FlowReceiver implements StreamHandler {
    /** Both ends hear of a run at about the same time; this one may be the later. */
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int LOOKS = 50;
    private static final long BIN_NANOS = 100_000_000;
    /** Of the longest flow, 10 min, and a little more. */
    private static final int MOST_BINS = 6600;

    private final StreamContext stream;
    private final Slots slots;
    private String token;
    private boolean accepted;
    private int looks;
    private long octets;
    private long first;
    private long last;
    /** Octets up to the end of each bin. */
    private long[] bins = new long[64];
    private int used;

    FlowReceiver(StreamContext stream, Slots slots) {
        this.stream = stream;
        this.slots = slots;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        if (token == null) {
            token = packet.payload().toString(StandardCharsets.US_ASCII);
            accepted = slots.takes(token);
            if (!accepted) {
                stream.pauseSource(true);
                stream.later(LOOK, (forward, back) -> look());
            }
        } else if (accepted) {
            count(packet.payloadLength());
        }
        return Verdict.TAKEN;
    }

    private void look() {
        accepted = slots.takes(token);
        if (accepted) {
            stream.pauseSource(false);
        } else if (++looks < LOOKS) {
            stream.later(LOOK, (forward, back) -> look());
        } else {
            throw refusal();
        }
    }

    private AnepException refusal() {
        slots.refused();
        return new AnepException(ErrorCode.NOT_AUTHORISED, "no run with this token is booked here now");
    }

    private void count(int length) {
        long now = stream.nanoTime();
        if (octets == 0) {
            first = now;
        }
        octets += length;
        last = now;
        int bin = (int) Math.min(MOST_BINS - 1, (now - first) / BIN_NANOS);
        if (bin >= bins.length) {
            bins = Arrays.copyOf(bins, Math.min(MOST_BINS, Math.max(bin + 1, 2 * bins.length)));
        }
        for (; used < bin; used++) {
            bins[used] = octets - length;
        }
    }

    /** Octets that had arrived so long after the first. */
    private long until(long nanos) {
        int bin = (int) (nanos / BIN_NANOS) - 1;
        return bin < 0 || used == 0 ? 0 : bins[Math.min(bin, used - 1)];
    }

    @Override
    public void onEnd(Output out) {
        if (!accepted) {
            throw refusal();
        }
        long nanos = Math.max(1, last - first);
        // On a boundary of bins, so that octets and time are of the same moment.
        long half = nanos / 2 / BIN_NANOS * BIN_NANOS;
        slots.received(octets);
        FlowReport report = new FlowReport(octets, nanos, octets - until(half), nanos - half);
        out.holdEnd();
        stream.execute((forward, back) -> {
            ByteBuf answer = back.allocator().buffer();
            answer.writeBytes(report.encode());
            back.emitPayload(answer);
            forward.releaseEnd();
        });
    }

    @Override
    public Map<String, Object> report() {
        return Map.of("octets", octets, "accepted", accepted);
    }
}
