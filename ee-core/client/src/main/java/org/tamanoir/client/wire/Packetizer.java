package org.tamanoir.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage.Resume;

/**
 * Makes the packets of one direction of a stream: headers in front of payloads, numbered from 0, the opening packet included. One thread
 * at a time.
 *
 * <p>The common case is the bare header of eight octets, written where the buffer has room for it, so that the payload stays where it
 * was read. A checksum needs the whole packet in hand and costs a copy.
 */
public final class Packetizer {
    private static final int NOT_ANEP = -1;

    private final int typeId;
    private final int flags;
    private final long streamId;
    private final PacketOptions opening;
    private final PacketOptions every;
    private final boolean timestamps;
    private final int packetSize;
    private final int headerLength;
    private long sequence;

    /**
     * Packets of a stream.
     *
     * @param opening    the options of the first packet, or null where the peer opened the stream
     * @param every      the options of every later packet, or null for bare headers; the sequence number is filled in if they carry one
     * @param timestamps whether each packet that has options gets the time at which it was made
     * @param packetSize octets, headers included, 8 to 65,535
     * @throws AnepException EE-408 if the headers leave no room for a payload
     */
    public Packetizer(int typeId, int flags, long streamId, PacketOptions opening, PacketOptions every, boolean timestamps, int packetSize) {
        this.typeId = typeId;
        this.flags = flags;
        this.streamId = streamId;
        this.opening = opening;
        this.every = every;
        this.timestamps = timestamps;
        this.packetSize = packetSize;
        this.headerLength = every == null ? Anep.HEADER_SIZE : measure(every);
        if (packetSize <= headerLength || packetSize > Anep.MAX_PACKET) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "packet size " + packetSize + " octets: it must be from " + (headerLength + 1)
                    + " (one octet behind the header of this stream) to " + Anep.MAX_PACKET);
        }
    }

    private Packetizer(int packetSize) {
        this.typeId = NOT_ANEP;
        this.flags = 0;
        this.streamId = 0;
        this.opening = null;
        this.every = null;
        this.timestamps = false;
        this.packetSize = packetSize;
        this.headerLength = 0;
    }

    /** No packets at all: payloads of at most {@code size} octets go out as they are. */
    public static Packetizer raw(int size) {
        return new Packetizer(size);
    }

    private int measure(PacketOptions options) {
        ByteBuf probe = Unpooled.buffer();
        new PacketBuilder(typeId).options(stamped(options)).writeTo(probe);
        return probe.readableBytes();
    }

    private PacketOptions stamped(PacketOptions options) {
        if (options.hasStream()) {
            options.stream(streamId, sequence);
        }
        if (timestamps) {
            Instant now = Instant.now();
            options.timestamp(now.getEpochSecond() * 1_000_000_000L + now.getNano());
        }
        return options;
    }

    /** Octets in front of each payload after the opening packet. */
    public int headerLength() {
        return headerLength;
    }

    /** Octets of payload that a packet takes. */
    public int maxPayload() {
        return packetSize - headerLength;
    }

    /** Whether each packet must be copied whole, because its header depends on its payload. */
    public boolean needsWhole() {
        return every != null && every.checksum();
    }

    public boolean isRaw() {
        return typeId == NOT_ANEP;
    }

    /** Packets made so far. */
    public long sequence() {
        return sequence;
    }

    /** Offers the node, in the opening packet, to keep the connection for another stream. */
    public Packetizer offerConnection() {
        opening.connection(ConnectionUse.OFFER, 0);
        return this;
    }

    /** Asks, in the opening packet, to be told when the destination has accepted. */
    public Packetizer askConnected() {
        opening.connected(true);
        return this;
    }

    /** Says, in the opening packet, which session goes on by the stream. */
    public Packetizer session(Resume resume) {
        opening.session(resume);
        return this;
    }

    /** The session that packets name from now on, where they have room for one: 64 bits, not 0. */
    public Packetizer qosSession(long code) {
        if (every == null || every.qosSession() == 0 || code == 0) {
            throw new IllegalStateException("the packets of this stream have no room for a session of their own");
        }
        every.qosSession(code);
        return this;
    }

    public int typeId() {
        return typeId;
    }

    public int flags() {
        return flags;
    }

    /** The packet that opens the stream, without payload. */
    public ByteBuf opening(ByteBufAllocator allocator) {
        ByteBuf packet = new PacketBuilder(typeId).flags(flags).options(stamped(opening)).build(allocator);
        sequence++;
        return packet;
    }

    /** Writes a header at the writer index; the caller puts the payload behind it. Not where {@link #needsWhole()}. */
    public void writeHeader(ByteBuf out, int payloadLength) {
        if (isRaw()) {
            return;
        }
        int start = out.writerIndex();
        if (every == null) {
            out.ensureWritable(Anep.HEADER_SIZE).writerIndex(start + Anep.HEADER_SIZE);
            PacketBuilder.setBareHeader(out, start, flags, typeId, payloadLength);
        } else {
            new PacketBuilder(typeId).flags(flags).options(stamped(every)).writeTo(out);
            out.setShort(start + 6, headerLength + payloadLength);
        }
        sequence++;
    }

    /** Writes a whole packet at the writer index, its payload copied from {@code payload}, which is read on. */
    public void write(ByteBuf out, ByteBuf payload, int payloadLength) {
        if (needsWhole()) {
            new PacketBuilder(typeId).flags(flags).options(stamped(every)).payload(payload.slice(payload.readerIndex(), payloadLength))
                    .writeTo(out);
            payload.skipBytes(payloadLength);
            sequence++;
        } else {
            writeHeader(out, payloadLength);
            out.writeBytes(payload, payloadLength);
        }
    }
}
