package org.tamanoir.node.deploy;

import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** The service of {@link WarmUp}: public, because it is made by the framework; never given to a stream. */
public final class IdleService implements ActiveService {
    @Override
    public StreamHandler open(StreamContext stream) {
        return new Idle();
    }

    /** Has a loop, a switch and a string of parts, so that a weaver has something to look at. */
    private static final class Idle implements StreamHandler {
        private long packets;

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            for (int i = 0; i < 2; i++) {
                packets += switch (i) {
                    case 0 -> 1;
                    default -> packet.payloadLength() == 0 ? 1 : 0;
                };
            }
            return Verdict.PASS;
        }

        @Override
        public String toString() {
            return "idle, " + packets;
        }
    }
}
