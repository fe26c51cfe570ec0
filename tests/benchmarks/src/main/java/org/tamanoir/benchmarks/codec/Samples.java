package org.tamanoir.benchmarks.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/** The packets that are measured. */
final class Samples {
    private Samples() {
    }

    /** The options of an opening packet as an application sends it and a node extends it: seven of them, 84 octets. */
    static PacketOptions opening() {
        return new PacketOptions().destination(new Identifier(Identifier.IPV4, new byte[] {(byte) 192, 0, 2, 1}))
                .stream(0x0123_4567_89AB_CDEFL, 0).delivery(7000, Delivery.RAW).chain(0x5403).previousNode(new PreviousNode(7, 3324))
                .hops(15).timestamp(1_700_000_000_000_000_000L);
    }

    /** As many packets of {@code size} octets as fit {@code room}, in a direct buffer as a socket's read fills it. */
    static ByteBuf run(int size, int room, PacketOptions options) {
        ByteBuf run = Unpooled.directBuffer(room);
        ByteBuf empty = new PacketBuilder(0x5402).options(options).build(run.alloc());
        ByteBuf payload = Unpooled.buffer();
        for (int i = empty.readableBytes(); i < size; i++) {
            payload.writeByte(i * 31);
        }
        empty.release();
        PacketBuilder builder = new PacketBuilder(0x5402).options(options).payload(payload);
        while (run.writableBytes() >= size) {
            builder.writeTo(run);
        }
        return run;
    }
}
