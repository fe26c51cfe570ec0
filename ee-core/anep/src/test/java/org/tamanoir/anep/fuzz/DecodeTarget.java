package org.tamanoir.anep.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.tamanoir.anep.AnepDecoder;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/**
 * What must hold for any octets at all; the one target of every fuzz run.
 *
 * <ul>
 * <li>Nothing but {@link MalformedPacketException} is thrown, and no octet is read outside a packet.
 * <li>{@link AnepDecoder} finds the same packets and the same error as {@link Framing} and {@link Packet} by hand, however the stream is
 * split; a datagram is good exactly if the stream is one good packet.
 * <li>A packet that was read and written again is no longer than it was and reads the same; written once more it is the same to the octet.
 * <li>No buffer is left unreleased.
 * </ul>
 */
public final class DecodeTarget {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);

    /** What is found in a stream: whole good packets, and why there are no more (null: it ends between two). */
    record Found(List<byte[]> packets, ErrorCode end) {
        boolean same(Found other) {
            return end == other.end && Arrays.deepEquals(packets.toArray(), other.packets.toArray());
        }
    }

    private DecodeTarget() {
    }

    /** @throws AssertionError if something does not hold */
    public static void check(byte[] input) {
        new DecodeTarget().run(input);
    }

    private void run(byte[] input) {
        Found found = byHand(input);
        require(found.same(throughDecoder(input, new SplittableRandom(Arrays.hashCode(input)))), "decoder and framing differ");
        require((datagram(input) == null) == (found.packets.size() == 1 && found.end == null), "datagram and stream differ");
        found.packets.forEach(this::checkPacket);
        require(allocator.metric().usedHeapMemory() == 0 && allocator.metric().usedDirectMemory() == 0, "a buffer was not released");
    }

    private static Found byHand(byte[] input) {
        ByteBuf buffer = Unpooled.wrappedBuffer(input);
        List<byte[]> packets = new ArrayList<>();
        int at = 0;
        try {
            while (at < input.length) {
                int length = Framing.packetLength(buffer, at, input.length - at);
                if (length == Framing.INCOMPLETE) {
                    return new Found(packets, ErrorCode.TRUNCATED);
                }
                byte[] octets = Arrays.copyOfRange(input, at, at + length);
                // On a copy without neighbours: a read outside the packet is an IndexOutOfBoundsException.
                new Packet().wrap(Unpooled.wrappedBuffer(octets), 0, length).checkOptions();
                packets.add(octets);
                at += length;
            }
            return new Found(packets, null);
        } catch (MalformedPacketException e) {
            return new Found(packets, e.code());
        }
    }

    private Found throughDecoder(byte[] input, SplittableRandom random) {
        EmbeddedChannel channel = new EmbeddedChannel(new AnepDecoder());
        channel.config().setAllocator(allocator);
        ErrorCode end = null;
        try {
            for (int at = 0; at < input.length;) {
                int size = Math.min(input.length - at, 1 + random.nextInt(random.nextInt(4) == 0 ? input.length : 12 + input.length / 16));
                channel.writeInbound(allocator.heapBuffer(size).writeBytes(input, at, size));
                at += size;
            }
            channel.finish();
        } catch (MalformedPacketException e) {
            end = e.code();
            channel.finish();
        }
        List<byte[]> packets = new ArrayList<>();
        for (Packet packet = channel.readInbound(); packet != null; packet = channel.readInbound()) {
            byte[] octets = new byte[packet.length()];
            packet.buffer().getBytes(packet.offset(), octets);
            packets.add(octets);
            packet.release();
        }
        return new Found(packets, end);
    }

    private static ErrorCode datagram(byte[] input) {
        try {
            Packet.of(Unpooled.wrappedBuffer(input)).checkOptions();
            return null;
        } catch (MalformedPacketException e) {
            return e.code();
        }
    }

    private void checkPacket(byte[] octets) {
        Packet packet = Packet.of(Unpooled.wrappedBuffer(octets));
        ByteBuf once = encode(packet);
        if (!packet.hasOptions()) {
            require(once.equals(packet.buffer()), "a bare packet is not the same to the octet");
            once.release();
            return;
        }
        require(once.readableBytes() <= octets.length, "longer than before");
        Packet again = Packet.of(once);
        again.checkOptions();
        require(read(packet).equals(read(again)), "reads otherwise than before");
        ByteBuf twice = encode(again);
        require(once.equals(twice), "not the same to the octet");
        twice.release();
        if (again.hops() >= 0) {
            again.setHops(again.hops() ^ 0xA5);
            again.checkOptions();
        }
        once.release();
    }

    private static List<String> read(Packet packet) {
        List<String> fields = Fields.of(packet);
        fields.remove(2); // the header's length: padding may go
        require(!packet.toString().isEmpty(), "prints");
        fields.add(packet.streamId() + " " + packet.hops() + " " + packet.contentEncoding()
                + (packet.has(OptionType.STREAM) ? packet.sequence() : "")
                + (packet.has(OptionType.CONTENT_ENCODING) ? packet.originalLength() : ""));
        return fields;
    }

    private ByteBuf encode(Packet packet) {
        return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(packet.options()).payload(packet.payload())
                .build(allocator);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
