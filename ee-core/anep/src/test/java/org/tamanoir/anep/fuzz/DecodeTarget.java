package org.tamanoir.anep.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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
 * <li>{@link Framing#each} finds the same packets and the same error however the stream is cut, as a walk over the whole of it does; a
 * datagram is good exactly if the stream is one good packet.
 * <li>What a packet's index says of its options is what a walk over them says, whether they are good or not.
 * <li>A packet that was read and written again is no longer than it was and reads the same; written once more it is the same to the octet.
 * <li>No buffer is left unreleased.
 * </ul>
 */
public final class DecodeTarget {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);

    private DecodeTarget() {
    }

    /** @throws AssertionError if something does not hold */
    public static void check(byte[] input) {
        new DecodeTarget().run(input);
    }

    private void run(byte[] input) {
        Found found = byHand(input);
        SplittableRandom random = new SplittableRandom(Arrays.hashCode(input));
        require(found.same(Found.inPieces(input, allocator,
                left -> 1 + random.nextInt(random.nextInt(4) == 0 ? left : 12 + input.length / 16))), "pieces and the whole differ");
        require((datagram(input) == null) == (found.packets().size() == 1 && found.end() == null), "datagram and stream differ");
        found.packets().forEach(this::checkPacket);
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

    private static ErrorCode datagram(byte[] input) {
        try {
            Packet packet = Packet.of(Unpooled.wrappedBuffer(input));
            checkIndex(packet, input);
            packet.checkOptions();
            checkIndex(packet, input);
            return null;
        } catch (MalformedPacketException e) {
            return e.code();
        }
    }

    /** Looks for each option by a walk of its own; the first of a type counts, a length of 0 ends the walk. */
    private static void checkIndex(Packet packet, byte[] octets) {
        Map<Integer, Integer> first = new HashMap<>();
        int size = 1;
        for (int at = 8; size > 0 && at < packet.headerLength(); at += size) {
            first.putIfAbsent(word(octets, at) & 0xBFFF, at);
            size = word(octets, at + 2) * 4;
        }
        for (OptionType type : OptionType.values()) {
            require(packet.has(type) == first.containsKey(type.number() | (type.isPrivate() ? 0x8000 : 0)), "the index has another " + type);
        }
        Integer hops = first.get(0x8005);
        require(packet.hops() == (hops == null ? -1 : octets[hops + 4] & 0xFF), "other hops");
    }

    private static int word(byte[] octets, int at) {
        return (octets[at] & 0xFF) << 8 | octets[at + 1] & 0xFF;
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
            Packet.of(once).checkOptions();
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
