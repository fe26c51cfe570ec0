package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.KeptConnections.Turn;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.PacketBuilder;

/**
 * How far one connection is with <i>one stream after another</i> ({@code docs/anep.md}), on either side of it: what it may say and read
 * next. Does no I/O.
 */
final class Reuse {
    /** Octets of a stream that may be sent again. */
    private static final int MOST_UNHEARD = 64 * 1024;

    private final LoopMemory memory;
    private final boolean byTls;
    /** The opener's state; null on any other connection. */
    private Turn<TcpLeg> turn;
    private KeptLegs kept;
    /** Of a stream on a connection that was kept: what has been written while nothing has come back. */
    private boolean remembers;
    private ByteBuf unheard;
    /** The acceptor's: it has taken an offer; has yet to say so; takes no further stream. */
    private boolean accepted;
    private boolean sayAccept;
    private boolean givesUp;
    /** Of the present stream: this side has ended by a packet; what it has read has been delivered; ready has been said. */
    private boolean endSent;
    private boolean delivered;
    private boolean readySent;

    /** @param byTls whether the connection is encrypted: then every direction ends by a packet */
    Reuse(LoopMemory memory, boolean byTls) {
        this.memory = memory;
        this.byTls = byTls;
    }

    /** This side has opened the connection for a first stream, and offers it. */
    void offer(TcpLeg leg, KeptLegs keeper) {
        kept = keeper;
        turn = new Turn<>(leg, byTls);
        turn.begin();
    }

    /** The opener begins another stream. */
    void offerAgain() {
        turn.begin();
        remembers = true;
    }

    /** The acceptor takes an offer. */
    void accept() {
        sayAccept |= !accepted;
        accepted = true;
    }

    /** Whether an accept is to leave now, in front of everything else: once. */
    boolean saysAccept() {
        boolean now = sayAccept;
        sayAccept = false;
        return now;
    }

    /** Everything that was read of the stream has been delivered. */
    void delivered() {
        delivered = true;
    }

    /** Whether this direction ends by a packet; otherwise by FIN. To be asked once a stream. */
    boolean endsByPacket() {
        endSent = turn != null ? turn.end() : byTls || accepted && !givesUp;
        return endSent;
    }

    /** Whether an end packet goes before FIN: FIN alone would say that nobody has seen the stream, and it would be sent again. */
    boolean endsBeforeFin() {
        return turn == null && accepted;
    }

    /** Whether ready may leave together with the end; if so, it has been said. */
    boolean saysReady(boolean peerEnded) {
        readySent = isAgain(peerEnded) && delivered;
        return readySent;
    }

    /** What ends a direction of the stream behind what waits already; all but the last of it is put there. */
    ByteBuf lastWords(boolean byPacket, boolean peerEnded, PendingWrites out, ByteBufAllocator allocator) {
        if (byPacket && saysReady(peerEnded)) {
            out.add(PacketBuilder.control(allocator, ConnectionUse.END));
            return PacketBuilder.control(allocator, ConnectionUse.READY);
        }
        if (!byPacket && endsBeforeFin()) {
            out.add(PacketBuilder.control(allocator, ConnectionUse.END));
        }
        return byPacket ? PacketBuilder.control(allocator, ConnectionUse.END) : Unpooled.EMPTY_BUFFER;
    }

    boolean hasSaidReady() {
        return readySent;
    }

    /**
     * The peer has said something about the connection.
     *
     * @return whether its direction of the stream ends by that
     * @throws MalformedPacketException if it may not say so now
     */
    boolean heard(ConnectionUse use, boolean peerEnded) {
        if (turn != null) {
            return turn.onControl(use);
        }
        if (use != ConnectionUse.END || !accepted && !byTls || peerEnded) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "a control packet at the wrong time: " + use);
        }
        return true;
    }

    /** The stream is over: whether the acceptor waits for another one. */
    boolean isAgain(boolean peerEnded) {
        return turn == null && accepted && endSent && peerEnded && !givesUp;
    }

    /** The stream is over: whether the opener keeps the connection. */
    boolean isKept() {
        return turn != null && kept.keep(turn);
    }

    /** Whether the opener has no stream on the connection now. */
    boolean isIdle() {
        return turn != null && !turn.isInUse();
    }

    /** The next stream may begin. */
    void restart() {
        delivered = false;
        readySent = false;
    }

    /** FIN, reset, error: no other stream follows. */
    void spoil() {
        if (turn != null) {
            turn.spoil();
        }
        givesUp = true;
    }

    /** Whether FIN at this moment says that the peer has not seen the stream. */
    boolean isUnseen() {
        return turn != null && turn.isUnseen();
    }

    /** Something is written. */
    void written(ByteBuf buffer) {
        if (!remembers) {
            return;
        }
        int octets = buffer.readableBytes();
        if ((unheard == null ? 0 : unheard.readableBytes()) + octets > MOST_UNHEARD) {
            forget();
        } else if (unheard == null) {
            unheard = memory.copy(buffer, buffer.readerIndex(), octets);
        } else {
            unheard.writeBytes(buffer, buffer.readerIndex(), octets);
        }
    }

    /** What was written and may be sent again, with its reference: empty if that is nothing, null if it is too much. */
    ByteBuf takeUnheard() {
        ByteBuf taken = remembers && unheard == null ? Unpooled.EMPTY_BUFFER : unheard;
        unheard = null;
        remembers = false;
        return taken;
    }

    /** Something has come back, or the stream is over: nothing will be sent again. */
    void forget() {
        remembers = false;
        if (unheard != null) {
            unheard.release();
            unheard = null;
        }
    }
}
