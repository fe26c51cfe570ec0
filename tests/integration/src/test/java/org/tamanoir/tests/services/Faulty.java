package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that passes everything, until a packet begins with {@link #BAD}: then it does the wrong thing that its name says. */
public final class Faulty implements ActiveService {
    /** The first octet of a payload that the service cannot bear. */
    public static final byte BAD = 'x';
    private static final int PIECE = 16_384;

    private String name;

    @Override
    public void start(ServiceContext service) {
        name = service.name();
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler();
    }

    private final class Handler implements StreamHandler {
        private final List<Packet> packets = new ArrayList<>();
        private final List<ByteBuf> buffers = new ArrayList<>();

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0 || packet.payload().getByte(packet.payload().readerIndex()) != BAD) {
                return Verdict.PASS;
            }
            switch (name) {
                case "throws" -> throw new IllegalStateException("on purpose");
                case "loops" -> loop();
                case "emits-garbage" -> out.emit(Unpooled.wrappedBuffer(new byte[40]));
                case "retains" -> packets.add(packet.retain());
                case "allocates" -> allocate(out);
                default -> { }
            }
            return Verdict.PASS;
        }

        private static void loop() {
            for (long turns = 1; turns > 0; turns++) {
                if (turns < 0) {
                    return;
                }
            }
        }

        private void allocate(Output out) {
            while (true) {
                buffers.add(out.allocator().buffer(PIECE));
            }
        }

        @Override
        public void close() {
            packets.forEach(Packet::release);
            for (ByteBuf buffer : buffers) {
                buffer.release();
            }
        }
    }
}
