package org.tamanoir.tests.services;

import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that lets nothing of the destination go on: after a megabyte it makes it wait, until the source says something. */
public final class Hoarding implements ActiveService {
    private static final long MOST = 1 << 20;

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler(stream);
    }

    private static final class Handler implements StreamHandler {
        private final StreamContext stream;
        private long taken;

        Handler(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() > 0) {
                taken = 0;
                stream.pauseDestination(false);
            }
            return Verdict.PASS;
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            taken += packet.payloadLength();
            if (taken > MOST) {
                stream.pauseDestination(true);
            }
            return Verdict.DROP;
        }
    }
}
