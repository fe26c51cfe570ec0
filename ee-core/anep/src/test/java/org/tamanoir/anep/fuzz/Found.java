package org.tamanoir.anep.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;

/** What a reader finds in a stream: whole good packets, and why there are no more (null: the stream ends between two). */
public record Found(List<byte[]> packets, ErrorCode end) {
    boolean same(Found other) {
        return end == other.end && Arrays.deepEquals(packets.toArray(), other.packets.toArray());
    }

    /**
     * Reads a stream as a socket's reader does: pieces arrive in a buffer, every packet that is whole is shown, the rest waits for more.
     *
     * @param pieces octets of the next piece, at least 1, of so many that are left
     */
    public static Found inPieces(byte[] stream, ByteBufAllocator allocator, IntUnaryOperator pieces) {
        List<byte[]> packets = new ArrayList<>();
        Packet view = new Packet();
        ByteBuf buffer = allocator.buffer();
        try {
            int parsed = 0;
            while (buffer.writerIndex() < stream.length) {
                int at = buffer.writerIndex();
                buffer.writeBytes(stream, at, Math.min(stream.length - at, pieces.applyAsInt(stream.length - at)));
                parsed = Framing.each(buffer, parsed, buffer.writerIndex(), view, packet -> {
                    packet.checkOptions();
                    byte[] octets = new byte[packet.length()];
                    packet.buffer().getBytes(packet.offset(), octets);
                    return packets.add(octets);
                });
            }
            return new Found(packets, parsed < stream.length ? ErrorCode.TRUNCATED : null);
        } catch (MalformedPacketException e) {
            return new Found(packets, e.code());
        } finally {
            buffer.release();
        }
    }
}
