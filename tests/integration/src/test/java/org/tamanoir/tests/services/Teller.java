package org.tamanoir.tests.services;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Puts its version and a count, which it inherits from the version before, in the place of every payload; version 6.6.6 throws. */
public final class Teller implements ActiveService {
    private final LongAdder packets = new LongAdder();
    private String version;

    @Override
    public void start(ServiceContext service) {
        version = service.version();
        packets.add((Long) service.inherited().getOrDefault("packets", 0L));
        service.metrics().counter("told", "Packets told.", packets::sum);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Telling(this);
    }

    private static final class Telling implements StreamHandler {
        private final Teller teller;

        Telling(Teller teller) {
            this.teller = teller;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            if (teller.version.equals("6.6.6")) {
                throw new IllegalStateException("on purpose");
            }
            teller.packets.increment();
            out.emitPayload(Unpooled.copiedBuffer(teller.version + " " + teller.packets.sum() + "\n", StandardCharsets.UTF_8));
            return Verdict.TAKEN;
        }
    }

    @Override
    public Map<String, Object> handOver() {
        return Map.of("packets", packets.sum());
    }
}
