package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.SessionKey;

/**
 * Packets in a file: packet N at N times the octets of tag and content, so that each is one write and one read. A packet that was not
 * written is a hole, and its tag is zero. Whatever a power cut, a kill or a bad disk left: a packet whose tag does not fit is not there.
 */
final class PacketFile {
    /** Octets that are read at a time when all are. */
    private static final int BATCH = 1 << 20;
    /** Octets of packets that follow each other and are written together. */
    private static final int RUN = 1 << 16;

    private final FileChannel channel;
    private final long count;
    private final int size;
    private final int stride;
    /** Packets from {@link #runFirst} on that were not written yet. */
    private final ByteBuffer run;
    private long runFirst;

    /**
     * @param count packets
     * @param size  octets of content in each but the last
     */
    PacketFile(FileChannel channel, long count, int size) {
        this.channel = channel;
        this.count = count;
        this.size = size;
        this.stride = SessionKey.TAG_LENGTH + size;
        this.run = ByteBuffer.allocateDirect(Math.max(RUN, stride));
    }

    /** Receives a packet. */
    @FunctionalInterface
    interface Visitor {
        /** @param body tag and content, valid during the call */
        void packet(long index, ByteBuffer body) throws IOException;
    }

    /** Writes a packet at its place, with those that follow it; {@link #range} of another thread shows it after {@link #flush}. */
    void write(long index, ByteBuffer body) throws IOException {
        if (index < 0 || index >= count || body.remaining() > stride) {
            throw new IndexOutOfBoundsException("packet " + index + " of " + count + " with " + body.remaining() + " octets");
        }
        if (index * stride != runFirst * stride + run.position() || body.remaining() > run.remaining()) {
            flush();
            runFirst = index;
        }
        run.put(body);
    }

    /** Writes what was kept to be written together; of a flush that fails everything is kept. */
    void flush() throws IOException {
        ByteBuffer kept = run.duplicate().flip();
        for (long at = runFirst * stride; kept.hasRemaining(); ) {
            at += channel.write(kept, at);
        }
        run.clear();
    }

    /** Reads tag and content of a packet that was written. */
    void read(long index, ByteBuf into) throws IOException {
        if (index >= runFirst && (index - runFirst) * stride < run.position()) {
            flush();
        }
        int left = stride;
        for (long at = index * stride; left > 0; ) {
            int read = into.writeBytes(channel, at, left);
            if (read < 0) {
                break;
            }
            at += read;
            left -= read;
        }
    }

    /** Octets that it takes more when all packets are there. */
    long missing(PacketSet there) {
        return (count - there.count()) * stride;
    }

    /** Shows packets in order, holes too. A last one that is cut short is shown as it is. @param to the one after the last */
    void range(long from, long to, Visitor visitor) throws IOException {
        int batch = (int) Math.min(Math.max(1, BATCH / stride), to - from);
        ByteBuffer buffer = ByteBuffer.allocate(batch * stride);
        for (long index = from; index < to; index += batch) {
            buffer.clear();
            if (to - index < batch) {
                buffer.limit((int) (to - index) * stride);
            }
            for (long at = index * stride; buffer.hasRemaining(); ) {
                int read = channel.read(buffer, at);
                if (read < 0) {
                    break;
                }
                at += read;
            }
            buffer.flip();
            for (long each = index; buffer.hasRemaining(); each++) {
                ByteBuffer body = buffer.slice(buffer.position(), Math.min(stride, buffer.remaining()));
                buffer.position(buffer.position() + body.remaining());
                visitor.packet(each, body);
            }
        }
    }

    /**
     * The packets that are there and whole.
     *
     * @param first sequence number of the first
     */
    PacketSet verified(SessionKey key, long session, long first) throws IOException {
        PacketSet there = new PacketSet(count);
        range(0, count, (index, body) -> {
            if (isWritten(body) && isTrue(key, session, first + index, body)) {
                there.add(index);
            }
        });
        return there;
    }

    private boolean isWritten(ByteBuffer body) {
        return body.remaining() > SessionKey.TAG_LENGTH && (body.getLong(0) | body.getLong(Long.BYTES)) != 0;
    }

    private static boolean isTrue(SessionKey key, long session, long sequence, ByteBuffer body) {
        return key.verify(new Data(session, sequence, false, 0, 0, Unpooled.wrappedBuffer(body), null));
    }

    /** How many packets there can be. */
    long count() {
        return count;
    }

    /** Octets of content in every packet but the last. */
    int size() {
        return size;
    }
}
