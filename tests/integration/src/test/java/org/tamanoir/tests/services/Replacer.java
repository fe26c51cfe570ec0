package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that lets no packet through as it came: its name says what it does instead. */
public final class Replacer implements ActiveService {
    private String name;

    @Override
    public void start(ServiceContext service) {
        name = service.name();
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return switch (name) {
            case "drops-the-first" -> new DropsTheFirst();
            case "emits-bare" -> (packet, out) -> {
                out.emitPayload(packet.payload().retain());
                return Verdict.TAKEN;
            };
            case "keeps-all" -> new KeepsAll();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static final class DropsTheFirst implements StreamHandler {
        private boolean seen;

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            Verdict verdict = seen ? Verdict.PASS : Verdict.DROP;
            seen = true;
            return verdict;
        }
    }

    /** Also tries its own stage: what comes at the end is one packet without options. */
    private static final class KeepsAll implements StreamHandler {
        private final ByteBuf kept = Unpooled.buffer();

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            kept.writeBytes(packet.payload());
            return Verdict.TAKEN;
        }

        @Override
        public void onEnd(Output out) {
            out.emitPayload(kept.retainedSlice());
        }

        @Override
        public void close() {
            kept.release();
        }
    }
}
