package org.tamanoir.benchmarks.soak;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.HdrHistogram.Histogram;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.load.Refusal;

/**
 * One stream that is sent, packet after packet at a fixed interval. A packet carries the time at which it was given to the kernel; while the
 * stream is held up, the time at which it was due, so that the hold-up counts in full.
 */
abstract class Flow {
    /** After the last packet, until the other side has ended as well. */
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    /**
     * What all streams of a soak have in common.
     *
     * @param typeId      of the service that every packet names
     * @param entry       the first node
     * @param destination where the last node delivers
     * @param payload     octets
     * @param interval    nanoseconds between two packets of a stream
     */
    record Route(int typeId, InetSocketAddress entry, InetSocketAddress destination, int payload, long interval) {
        PacketOptions options(long stream, long sequence) {
            return new PacketOptions().destination(Identifier.of(destination.getAddress()))
                    .delivery(destination.getPort(), Delivery.ANEP).stream(stream, sequence);
        }
    }

    final Route route;
    final long id;
    private final boolean lasting;
    /** {@link System#nanoTime()}: with the first packet that is due then or later the stream ends. */
    private long end;
    private final ByteBuffer payload;
    private long due;
    /** The packet before had to wait, or the first one has not left: what is due now has been so for some time. */
    private boolean heldUp = true;
    private long sequence;
    private boolean finished;
    private long finishedAt;
    private boolean over;
    private String broken;

    Flow(Route route, long id, long now, long end, boolean lasting) {
        this.route = route;
        this.id = id;
        this.due = now;
        this.end = end;
        this.lasting = lasting;
        this.payload = ByteBuffer.allocate(route.payload());
    }

    /**
     * Sends what is due, as far as the kernel takes it.
     *
     * @param mark for {@link SoakPacket}
     * @param late gets how long after its time each packet is sent that nothing but the source itself has held up
     */
    final void turn(long now, int mark, Histogram late) {
        if (over) {
            return;
        }
        try {
            while (!finished && due <= now && isReady()) {
                finished = due >= end;
                if (!heldUp && mark != 0) {
                    late.recordValue(Math.min(now - due, late.getHighestTrackableValue()));
                }
                SoakPacket.write(payload.clear(), route.payload(), mark, finished, id, sequence, heldUp ? due : now);
                boolean taken = send(payload.flip(), sequence);
                sequence++;
                due += route.interval();
                heldUp = !taken || heldUp && due <= now;
                if (finished) {
                    finishedAt = now;
                    finish();
                }
            }
            if (finished && !over && now - finishedAt > PATIENCE_NANOS) {
                broken("it did not end within " + PATIENCE_NANOS / 1_000_000_000 + " s of its last packet");
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    /** Something can be read, written or connected. */
    final void ready(SelectionKey key) {
        try {
            if (!over) {
                onReady(key);
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    /** Lets the next packet be the last. */
    final void end(long now) {
        end = Math.min(end, now);
    }

    /** Whether a packet can be sent now. */
    abstract boolean isReady();

    /** Sends one packet. @return whether the kernel took all of it; otherwise it keeps the rest and is not ready until that is gone */
    abstract boolean send(ByteBuffer content, long number) throws IOException;

    /** The last packet is sent, or kept as the rest. */
    abstract void finish() throws IOException;

    abstract void onReady(SelectionKey key) throws IOException;

    abstract void close() throws IOException;

    abstract boolean isUdp();

    final boolean hasFinished() {
        return finished;
    }

    /** Nothing more is sent or awaited. */
    final boolean isOver() {
        return over;
    }

    /** It has ended as it was to. */
    final void complete() throws IOException {
        over = true;
        close();
    }

    /** It has ended, and was not to. */
    final void broken(String why) {
        broken = broken == null ? why : broken;
        over = true;
        try {
            close();
        } catch (IOException e) {
            broken += "; and could not be closed: " + e;
        }
    }

    /** Breaks it with the reason that an error packet names. */
    final void refused(ByteBuffer answer) {
        int octets = answer.remaining();
        String text = Refusal.text(answer);
        broken(text.isEmpty() ? "it got " + octets + " octets back, and nobody was to answer" : text);
    }

    final SentStream account() {
        return new SentStream(id, isUdp(), lasting, sequence, broken);
    }
}
