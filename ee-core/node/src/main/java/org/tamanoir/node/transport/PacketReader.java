package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.PacketBuilder;

/**
 * Cuts what a connection reads into packets, in place. The transport reads behind what is there, a packet that is not whole yet stays
 * where it is, and every packet is contiguous; only the tail of a full buffer is ever copied.
 *
 * <p>While a stream is being opened it reads into a small buffer that is just large enough for the first packet, because a connection
 * that says nothing must not cost much. Used by one event loop.
 */
final class PacketReader {
    /** A read is not worth its system call with less room than this. */
    private static final int LEAST_ROOM = 64 * 1024;
    /** First room for a stream that is being opened. */
    private static final int OPENING_ROOM = 2048;

    private PacketSink sink;
    private boolean opening = true;
    private boolean stopped;
    private boolean raw;
    private int rawFlags;
    private int rawTypeId;
    private boolean discarding;
    private ByteBuf buffer;
    private int parsed;
    private int readFrom;
    private long received;
    private long packets;

    PacketReader(PacketSink sink) {
        this.sink = sink;
    }

    /** Sends further packets elsewhere; the next read goes to a big buffer. */
    void flowTo(PacketSink sink) {
        this.sink = sink;
        this.opening = false;
    }

    /** Takes what is read as payload, and puts a bare header of that Type ID in front of every piece. */
    void wrapRaw(int flags, int typeId) {
        this.raw = true;
        this.rawFlags = flags;
        this.rawTypeId = typeId;
    }

    /** Hands no further packet over until {@link #proceed}; called from within {@link PacketSink#packet} too. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Throws away what is read from now on. */
    void discard() {
        stopped = true;
        discarding = true;
    }

    /** Octets read from the socket since the beginning. */
    long received() {
        return received;
    }

    /** Packets that have been handed over. */
    long packets() {
        return packets;
    }

    /** Octets that are read and not handed over. */
    int unparsed() {
        return buffer == null ? 0 : buffer.writerIndex() - parsed;
    }

    /** Where the transport reads to next: room behind what is there, and a reference for the transport. */
    ByteBuf nextRead() {
        if (discarding) {
            return ByteBufAllocator.DEFAULT.directBuffer(LEAST_ROOM);
        }
        if (buffer == null) {
            buffer = opening ? ByteBufAllocator.DEFAULT.directBuffer(OPENING_ROOM) : ReceiveBuffers.ofThisLoop().take();
            parsed = 0;
        } else if (opening || stopped) {
            growForOpening();
        } else {
            makeRoom();
        }
        readFrom = buffer.writerIndex();
        if (!raw) {
            return buffer.retain();
        }
        // Room for the header stays free in front of the payload, and one read is one packet.
        int room = Math.min(buffer.writableBytes() - Anep.HEADER_SIZE, Anep.MAX_PAYLOAD);
        return buffer.retainedSlice(buffer.writerIndex() + Anep.HEADER_SIZE, room).writerIndex(0);
    }

    private void growForOpening() {
        // Not what the header announces: as much again as has come, so that eight octets do not cost 64 KB.
        buffer.ensureWritable(Math.max(unparsed(), OPENING_ROOM));
    }

    private void makeRoom() {
        int tail = unparsed();
        boolean ours = buffer.refCnt() == 1;
        if (ours && tail == 0) {
            buffer.clear();
            parsed = 0;
        }
        if (buffer.writableBytes() >= LEAST_ROOM && buffer.capacity() >= LEAST_ROOM) {
            return;
        }
        if (ours && buffer.capacity() >= 2 * LEAST_ROOM) {
            buffer.readerIndex(parsed).discardReadBytes();
            parsed = 0;
            return;
        }
        ByteBuf next = ReceiveBuffers.ofThisLoop().take();
        next.ensureWritable(tail + LEAST_ROOM);
        next.writeBytes(buffer, parsed, tail);
        ReceiveBuffers.ofThisLoop().give(buffer);
        buffer = next;
        parsed = 0;
    }

    /**
     * Takes what the transport has read and hands the packets over.
     *
     * @param read the buffer of {@link #nextRead}, or another one (behind TLS): then it is copied; released here
     * @throws org.tamanoir.anep.MalformedPacketException if there is something that is no packet
     */
    void read(ByteBuf read) {
        received += read == buffer ? read.writerIndex() - readFrom : read.readableBytes();
        try {
            if (discarding) {
                return;
            }
            if (raw) {
                wrap(read);
            } else if (read != buffer) {
                append(read);
            }
        } finally {
            read.release();
        }
        parse();
        // At once, not at the end of the turn: what has left is free, and the next read meets the same octets in the cache.
        sink.flush();
    }

    private void wrap(ByteBuf payload) {
        int length = payload.readableBytes();
        int at = buffer.writerIndex();
        PacketBuilder.setBareHeader(buffer, at, rawFlags, rawTypeId, length);
        buffer.writerIndex(at + Anep.HEADER_SIZE + length);
    }

    private void append(ByteBuf read) {
        nextRead().release();
        buffer.ensureWritable(read.readableBytes());
        buffer.writeBytes(read);
    }

    /** Goes on after {@link #stop}. */
    void proceed() {
        stopped = false;
        parse();
    }

    private void parse() {
        if (buffer == null || stopped) {
            return;
        }
        long nanos = System.nanoTime();
        ByteBuf in = buffer;
        int end = in.writerIndex();
        int at = parsed;
        try {
            while (!stopped) {
                int length = Framing.packetLength(in, at, end - at);
                if (length == Framing.INCOMPLETE) {
                    break;
                }
                at += length;
                parsed = at;
                packets++;
                sink.packet(in, at - length, length, nanos);
            }
        } finally {
            sink.settle();
        }
    }

    /** A turn of reading is over: hands over what was gathered, and gives the buffer back if nothing is left in it. */
    void readComplete() {
        sink.flush();
        if (buffer != null && !opening && unparsed() == 0) {
            giveBack();
        }
    }

    /** Moves the beginning of a packet out of a big buffer when the rest does not come; called now and then for quiet connections. */
    void shrink() {
        int tail = unparsed();
        if (buffer == null || opening || stopped || buffer.capacity() < LEAST_ROOM || tail > LEAST_ROOM / 4) {
            return;
        }
        ByteBuf small = ByteBufAllocator.DEFAULT.directBuffer(Math.max(tail, 64)).writeBytes(buffer, parsed, tail);
        giveBack();
        buffer = small;
        parsed = 0;
    }

    private void giveBack() {
        ReceiveBuffers.ofThisLoop().give(buffer);
        buffer = null;
        parsed = 0;
    }

    void release() {
        stopped = true;
        if (buffer != null) {
            giveBack();
        }
    }
}
