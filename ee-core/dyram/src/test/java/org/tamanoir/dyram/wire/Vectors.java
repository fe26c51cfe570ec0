package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** Reads the tables of {@code src/test/resources/vectors}. */
final class Vectors {
    private static final long SESSION = 0x0102030405060708L;

    /** A record: what it is, and a whole packet. */
    record Vector(String name, byte[] octets) {
        Packet packet() {
            return packet(octets);
        }

        static Packet packet(byte[] octets) {
            Packet packet = Packet.of(Unpooled.wrappedBuffer(octets.clone()));
            packet.checkOptions();
            return packet;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Vectors() {
    }

    static List<Vector> good() {
        return records("/vectors/good.txt").map(lines -> new Vector(lines.get(0), octets(lines))).toList();
    }

    static List<Vector> malformed() {
        return records("/vectors/malformed.txt").map(lines -> new Vector(lines.get(0), packet(lines.contains("session 0") ? 0 : SESSION,
                octets(lines)))).toList();
    }

    private static byte[] packet(long session, byte[] payload) {
        ByteBuf packet = new PacketBuilder(Codec.TYPE_ID).options(new PacketOptions().stream(session, 0))
                .payload(Unpooled.wrappedBuffer(payload)).build(io.netty.buffer.UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = new byte[packet.readableBytes()];
        packet.readBytes(octets).release();
        return octets;
    }

    private static Stream<List<String>> records(String resource) {
        try (InputStream in = Vectors.class.getResourceAsStream(resource)) {
            return Stream.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n\n+"))
                    .map(block -> block.lines().filter(line -> !line.startsWith("#")).toList()).filter(lines -> !lines.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] octets(List<String> lines) {
        StringBuilder hex = new StringBuilder();
        lines.stream().filter(line -> line.startsWith("octets")).forEach(line -> hex.append(line.substring("octets".length())));
        return HexFormat.of().parseHex(hex.toString().replace(" ", "").toLowerCase(Locale.ROOT));
    }
}
