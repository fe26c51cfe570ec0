package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketRun;

/**
 * Cuts what a connection reads into packets, in place. The transport reads behind what is there, and every packet is contiguous. The
 * beginning of a packet stays where it is while the connection is busy; otherwise it is moved into a buffer of its own size.
 *
 * <p>While a stream is being opened little is read at a time, because what comes behind its first packet has to wait. Used by one event
 * loop.
 */
final class PacketReader implements LoopMemory.InPlace {
    /** Octets that are read at a time while a stream is being opened. */
    private static final int OPENING_ROOM = 16 * 1024;

    private final LoopMemory memory;
    private final Consumer<ConnectionUse> control;
    private Stage sink;
    private boolean opening = true;
    private boolean ended;
    private boolean stopped;
    private boolean raw;
    private int rawTypeId;
    private boolean discarding;
    private ByteBuf buffer;
    private int parsed;
    private int readFrom;
    private int turn;
    private boolean keeps;
    private long received;
    private long packets;

    /** @param control is told what the peer says of the connection; may throw what {@link #read} throws */
    PacketReader(Stage sink, LoopMemory memory, Consumer<ConnectionUse> control) {
        this.sink = sink;
        this.memory = memory;
        this.control = control;
    }

    /** The peer may open the next stream, whose first packet goes to that sink. */
    void reopen(Stage newSink) {
        sink = newSink;
        opening = true;
        stopped = false;
        restart();
    }

    /** Another stream begins: counts anew. */
    void restart() {
        ended = false;
        received = 0;
        packets = 0;
    }

    /** The peer has ended its direction of the stream by a packet: until it may begin another there can be no further packet. */
    void end() {
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    /** The stream is open: sends further packets elsewhere, and reads more at a time. */
    void flowTo(Stage newSink) {
        this.sink = newSink;
        this.opening = false;
    }

    /** Takes what is read as payload, and puts a bare header of that Type ID in front of every piece. */
    void wrapRaw(int typeId) {
        this.raw = true;
        this.rawTypeId = typeId;
    }

    /** Hands no further packet over until {@link #proceed}; called from within {@link Stage#packet} too. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isDiscarding() {
        return discarding;
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

    /** Octets of memory that are held for {@link #unparsed} ones. */
    int retained() {
        return buffer == null ? 0 : buffer.capacity();
    }

    /**
     * Where the transport reads to next: room behind what is there, and a reference for the transport; null if there is no memory for it.
     *
     * @param most octets that should be read, but for what a packet that has begun still lacks
     */
    ByteBuf nextRead(int most) {
        if (discarding) {
            return PooledByteBufAllocator.DEFAULT.directBuffer(LoopMemory.LEAST_ROOM);
        }
        int room = room(most);
        if (room == 0) {
            return null;
        }
        memory.leaves(this, false);
        makeRoom();
        readFrom = buffer.writerIndex();
        if (raw) {
            // Room for the header stays free in front of the payload, and one read is one packet.
            int payload = Math.min(room, Math.min(buffer.writableBytes() - Anep.HEADER_SIZE, Anep.MAX_PAYLOAD));
            return buffer.retainedSlice(readFrom + Anep.HEADER_SIZE, payload).writerIndex(0);
        }
        return room >= buffer.writableBytes() ? buffer.retain() : buffer.retainedSlice(readFrom, room).writerIndex(0);
    }

    /** Octets that may be read. A packet that has begun may become whole if there is memory at all. */
    private int room(int most) {
        int room = Math.min(opening ? OPENING_ROOM : most, memory.room());
        int tail = unparsed();
        if (tail >= Anep.HEADER_SIZE && room < Anep.MAX_PACKET) {
            int missing = Framing.announced(buffer, parsed) - tail;
            return missing > room && memory.has(missing) ? missing : room;
        }
        return room;
    }

    private void makeRoom() {
        if (buffer == null) {
            buffer = memory.take();
            parsed = 0;
            return;
        }
        int tail = unparsed();
        boolean ours = buffer.refCnt() == 1;
        if (ours && tail == 0) {
            buffer.clear();
            parsed = 0;
        }
        if (buffer.writableBytes() >= LoopMemory.LEAST_ROOM) {
            return;
        }
        if (ours && buffer.capacity() >= 2 * LoopMemory.LEAST_ROOM) {
            buffer.readerIndex(parsed).discardReadBytes();
            parsed = 0;
            return;
        }
        ByteBuf next = memory.take();
        next.writeBytes(buffer, parsed, tail);
        giveBack();
        buffer = next;
    }

    /**
     * Takes what the transport has read and hands the packets over.
     *
     * @param read what {@link #nextRead} named; released here
     * @throws MalformedPacketException if there is something that is no packet
     */
    void read(ByteBuf read) {
        int octets = read == buffer ? read.writerIndex() - readFrom : read.readableBytes();
        received += octets;
        turn += octets;
        read.release();
        if (discarding) {
            return;
        }
        if (raw) {
            PacketBuilder.setBareHeader(buffer, readFrom, 0, rawTypeId, octets);
            octets += Anep.HEADER_SIZE;
        }
        buffer.writerIndex(readFrom + octets);
        try {
            parse();
        } finally {
            // At once, not at the end of the turn: what has left is free, and the next read meets the same octets in the cache.
            sink.flush();
        }
    }

    /** Goes on after {@link #stop}; {@link #readComplete} must follow. */
    void proceed() {
        stopped = false;
        try {
            parse();
        } finally {
            sink.flush();
        }
    }

    private void parse() {
        if (buffer == null || stopped) {
            return;
        }
        ByteBuf in = buffer;
        long now = System.nanoTime();
        PacketRun run = memory.takeRun();
        try {
            int at = parsed;
            for (int octets = find(run, in, at); octets != Framing.INCOMPLETE; octets = find(run, in, at)) {
                at += octets;
                found(run.of(now, 0));
            }
            // Whoever was told of a packet may have ended the connection.
            parsed = in == buffer ? at : parsed;
        } finally {
            memory.giveRun(run);
        }
    }

    /** @return octets of what is handed over next; {@link Framing#INCOMPLETE} for nothing */
    private int find(PacketRun run, ByteBuf in, int at) {
        return stopped ? Framing.INCOMPLETE : run.find(in, at, in.writerIndex(), !opening && sink.takesRuns() ? PacketRun.MOST_PACKETS : 1);
    }

    private void found(PacketRun run) {
        Packet packet = run.first();
        if (packet.isControl() && !raw) {
            packet.checkOptions();
            control.accept(packet.connectionUse());
        } else if (ended) {
            throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, "a packet after the end of its stream");
        } else if (run.count() == 1) {
            packets++;
            sink.packet(packet);
        } else {
            packets += run.count();
            sink.packets(run);
        }
    }

    /** A turn of reading is over: hands over what was gathered, and gives the buffer back unless a busy connection will need it at once. */
    void readComplete() {
        sink.flush();
        if (buffer != null && unparsed() == 0) {
            giveBack();
        } else if (buffer != null) {
            if (opening || stopped || turn < LoopMemory.LEAST) {
                moveOut();
            } else {
                memory.leaves(this, true);
            }
        }
        turn = 0;
    }

    private void keeps(boolean something) {
        if (keeps != something) {
            keeps = something;
            memory.keeps(something);
        }
    }

    /** Moves the beginning of a packet out of a receive buffer. */
    @Override
    public void moveOut() {
        int tail = unparsed();
        if (buffer == null || buffer.capacity() <= 2 * tail) {
            return;
        }
        if (tail == 0) {
            giveBack();
            return;
        }
        ByteBuf small = memory.copy(buffer, parsed, tail);
        giveBack();
        buffer = small;
        parsed = 0;
        keeps(true);
    }

    private void giveBack() {
        memory.leaves(this, false);
        memory.give(buffer);
        buffer = null;
        parsed = 0;
        keeps(false);
    }

    void release() {
        stopped = true;
        if (buffer != null) {
            giveBack();
        }
        keeps(false);
    }
}
