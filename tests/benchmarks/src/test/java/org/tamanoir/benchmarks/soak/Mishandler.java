package org.tamanoir.benchmarks.soak;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that does wrong to the second packet of every stream, on the first node of its path, as its name says. */
public final class Mishandler implements ActiveService {
    private String name;

    @Override
    public void start(ServiceContext service) {
        name = service.name();
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return stream.position() == Position.INGRESS ? new Handler(name) : (packet, out) -> Verdict.PASS;
    }

    private static final class Handler implements StreamHandler {
        private final String name;
        private int count;
        private Packet kept;

        Handler(String name) {
            this.name = name;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            count++;
            if (kept != null) {
                out.emit(packet);
                out.emit(kept);
                kept.release();
                kept = null;
                return Verdict.TAKEN;
            }
            return count == 2 ? wrong(packet, out) : Verdict.PASS;
        }

        private Verdict wrong(Packet packet, Output out) {
            switch (name) {
                case "loses":
                    return Verdict.DROP;
                case "doubles":
                    out.emit(packet);
                    return Verdict.PASS;
                case "swaps":
                    kept = packet.retain();
                    return Verdict.TAKEN;
                case "damages":
                    ByteBuf changed = out.allocator().buffer(packet.length()).writeBytes(packet.buffer(), packet.offset(), packet.length());
                    changed.setByte(packet.length() - 1, changed.getByte(packet.length() - 1) ^ 1);
                    out.emit(changed);
                    return Verdict.TAKEN;
                case "breaks":
                    throw new IllegalStateException("as it was told");
                default:
                    throw new IllegalStateException(name);
            }
        }

        @Override
        public void close() {
            if (kept != null) {
                kept.release();
            }
        }
    }
}
