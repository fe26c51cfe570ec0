package org.tamanoir.services.collect;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.FrameReader;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** The stream of a member, or of a node that speaks for several. It ends here, whatever its destination. */
final class BelowStream implements StreamHandler {
    /** Below the time after which a node ends a stream in which nothing passes. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final Collect service;
    private final StreamContext stream;
    private final boolean root;
    private final FrameReader reader = new FrameReader();
    private final Outbox outbox = new Outbox();
    private volatile NodeGroup group;
    private int id;
    // Of the stream's thread.
    private boolean theyEnded;
    private boolean finished;
    private long packets;
    // Any thread.
    private volatile boolean ending;
    /** A task that empties the outbox waits. */
    private final AtomicBoolean draining = new AtomicBoolean();

    BelowStream(Collect service, StreamContext stream, boolean root) {
        this.service = service;
        this.stream = stream;
        this.root = root;
    }

    StreamContext stream() {
        return stream;
    }

    boolean isAtRoot() {
        return root;
    }

    /** It belongs to a group now. */
    void joined(NodeGroup joined, int number) {
        group = joined;
        id = number;
        stream.later(QUIET, this::keepOpen);
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        try {
            reader.take(packet.payload(), this::frame);
        } catch (AnepException e) {
            gone(e.code(), e.text());
            throw e;
        }
        return Verdict.TAKEN;
    }

    private void frame(Frame frame) {
        if (group != null) {
            group.receive(id, frame);
            return;
        }
        if (!(frame instanceof Frame.Join join)) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "the first frame of a stream joins a group");
        }
        if (join.node() && !stream.isFromPeer()) {
            throw new AnepException(ErrorCode.NOT_PERMITTED, "only a node that is listed under peers speaks for others");
        }
        service.join(this, join);
    }

    private void gone(ErrorCode code, String text) {
        if (group != null) {
            group.gone(id, code.number(), text);
        }
    }

    @Override
    public void onEnd(Output out) {
        theyEnded = true;
        if (!finished) {
            out.holdEnd();
        }
        if (!ending) {
            gone(ErrorCode.CONNECTION_LOST, "its stream has ended");
            ending = true;
        }
        drainSoon();
    }

    @Override
    public void close() {
        gone(ErrorCode.CONNECTION_LOST, "its stream has broken");
        outbox.clear();
    }

    // What the group does; any thread.

    void send(Frame frame) {
        if (outbox.add(frame)) {
            group.full(id, true);
        }
        drainSoon();
    }

    void end() {
        ending = true;
        drainSoon();
    }

    void drop() {
        outbox.clear();
    }

    void pause(boolean paused) {
        stream.execute((forward, back) -> stream.pauseSource(paused));
    }

    // On the stream's thread.

    private void drainSoon() {
        if (draining.compareAndSet(false, true) && !stream.execute((forward, back) -> {
            draining.set(false);
            drain(back);
            if (finished && theyEnded) {
                forward.releaseEnd();
            }
        })) {
            draining.set(false);
        }
    }

    private void drain(Output back) {
        while (!finished && !outbox.isEmpty() && back.isWritable()) {
            ByteBuf packet = back.allocator().buffer();
            boolean room = outbox.write(packet);
            packets++;
            service.counters().down.increment();
            back.emitPayload(packet);
            if (room) {
                group.full(id, false);
            }
        }
        if (!finished && ending && outbox.isEmpty()) {
            finished = true;
            back.finish();
        }
    }

    @Override
    public void onReturnWritable(Output out) {
        drainSoon();
    }

    /** A member may have nothing to say for long. Who has not joined ends when the idle time of the node is over. */
    private void keepOpen(Output forward, Output back) {
        if (!finished) {
            back.emitPayload(back.allocator().buffer(0));
            stream.later(QUIET, this::keepOpen);
        }
    }

    @Override
    public Map<String, Object> report() {
        return Map.of("packetsBack", packets);
    }
}
