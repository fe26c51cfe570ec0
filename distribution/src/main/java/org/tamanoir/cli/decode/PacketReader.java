package org.tamanoir.cli.decode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;

/** Takes packets from an input, one behind the other; holds {@value #BUFFER} octets whatever the input's length. */
public final class PacketReader {
    /** Room for the largest packet and a read of the same size. */
    static final int BUFFER = 1 << 17;

    private final InputStream in;
    private final Runnable beforeRead;
    private final byte[] octets = new byte[BUFFER];
    private final ByteBuf buffer = Unpooled.wrappedBuffer(octets);
    private final Packet view = new Packet();
    private int begin;
    private int end;
    /** Octets of the input before the buffer. */
    private long before;
    private int length;

    /** @param beforeRead called before every read of the input, which may wait */
    public PacketReader(InputStream in, Runnable beforeRead) {
        this.in = in;
        this.beforeRead = beforeRead;
    }

    /** Octets of the input before the packet that {@link #next} gave, before the error that it threw, or in all when it gave null. */
    public long offset() {
        return before + begin;
    }

    /**
     * The next packet, its options checked; valid until the next call. Null at the end.
     *
     * @throws MalformedPacketException if what follows is no packet; {@link ErrorCode#TRUNCATED} if the input ends inside one
     */
    public Packet next() throws IOException {
        begin += length;
        length = 0;
        int found = Framing.packetLength(buffer, begin, end - begin);
        while (found == Framing.INCOMPLETE) {
            if (!read()) {
                if (begin < end) {
                    throw new MalformedPacketException(ErrorCode.TRUNCATED, "the input ends after " + (end - begin) + " octets of a packet");
                }
                return null;
            }
            found = Framing.packetLength(buffer, begin, end - begin);
        }
        view.wrap(buffer, begin, found).checkOptions();
        length = found;
        return view;
    }

    private boolean read() throws IOException {
        System.arraycopy(octets, begin, octets, 0, end - begin);
        before += begin;
        end -= begin;
        begin = 0;
        beforeRead.run();
        int count = in.read(octets, end, octets.length - end);
        end += Math.max(count, 0);
        return count > 0;
    }
}
