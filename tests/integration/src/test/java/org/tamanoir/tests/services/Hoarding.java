package org.tamanoir.tests.services;

import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * A service that lets nothing of the destination go on: after a megabyte it makes it wait, until the source says something.
 * The piece behind which it makes it wait again goes to the source.
 */
public final class Hoarding implements ActiveService {
    private static final long MOST = 1 << 20;

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler(stream);
    }

    private static final class Handler implements StreamHandler {
        private final StreamContext stream;
        private long taken;
        private boolean asked;

        Handler(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() > 0) {
                taken = 0;
                asked = true;
                stream.pauseDestination(false);
            }
            return Verdict.PASS;
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            taken += packet.payloadLength();
            if (taken <= MOST) {
                return Verdict.DROP;
            }
            stream.pauseDestination(true);
            boolean answers = asked;
            asked = false;
            return answers ? Verdict.PASS : Verdict.DROP;
        }
    }
}
