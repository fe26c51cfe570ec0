package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.interest.wire.Frames;

/** A program, or a node below: a stream that ends here. */
final class StreamLink extends Link implements StreamHandler {
    /** Octets of a packet. */
    private static final int PACKET = 60_000;

    private final StreamContext stream;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** Whether it has said that it is a node. */
    private boolean node;
    /** What is left of the piece in hand. */
    private ByteBuf piece;

    StreamLink(Space space, StreamContext stream) {
        super(space);
        this.stream = stream;
    }

    boolean isNode() {
        return node;
    }

    @Override
    String name() {
        return NetUtil.toSocketAddressString(stream.source());
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        if (packet.payloadLength() > 0) {
            space.turn(() -> take(packet.payload()));
        }
        return Verdict.TAKEN;
    }

    /** Nothing more of it is read, or again; what has been read comes. Its own thread for the first. */
    void pause(boolean on) {
        if (on) {
            stream.pauseSource(true);
        } else {
            stream.execute((forward, back) -> stream.pauseSource(false));
        }
    }

    @Override
    void special(int kind, ByteBuf in, int body, int end) {
        if (kind != Frames.HELLO) {
            super.special(kind, in, body, end);
        }
        if (!stream.isFromPeer()) {
            throw new AnepException(ErrorCode.NOT_PERMITTED, "only a node that is listed under peers speaks as one");
        }
        if (neighbour != null || node || end - body != 1 || in.getUnsignedByte(body) != Frames.VERSION) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a node says hello first, once, and in version " + Frames.VERSION);
        }
        node = true;
        space.greeted(this);
    }

    @Override
    void flush() {
        if (scheduled.compareAndSet(false, true) && !stream.execute((forward, back) -> {
            scheduled.set(false);
            drain(back);
        })) {
            scheduled.set(false);
        }
    }

    @Override
    public void onReturnWritable(Output back) {
        drain(back);
    }

    private void drain(Output back) {
        while (back.isWritable()) {
            if (piece == null) {
                piece = outbox.take();
            }
            if (piece == null) {
                return;
            }
            if (piece.readableBytes() <= PACKET) {
                ByteBuf last = piece;
                piece = null;
                back.emitPayload(last);
            } else {
                back.emitPayload(piece.readRetainedSlice(PACKET));
            }
        }
    }

    /** What it is refused with is thrown where it can be told: on its own thread. */
    @Override
    void cut(AnepException why) {
        stream.execute((forward, back) -> {
            throw why;
        });
    }

    @Override
    public void onEnd(Output out) {
        space.turn(() -> space.left(this));
        stream.execute((forward, back) -> back.finish());
    }

    @Override
    public void close() {
        space.turn(() -> space.left(this));
        if (piece != null) {
            piece.release();
            piece = null;
        }
    }
}
