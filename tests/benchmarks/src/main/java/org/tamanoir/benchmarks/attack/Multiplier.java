package org.tamanoir.benchmarks.attack;

import java.util.concurrent.locks.LockSupport;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/**
 * Takes its time for the first packet, then makes ten of 8 KB of each, and does not ask whether there is room. Runs inside a node, so it uses no
 * other class of the benchmarks.
 */
public final class Multiplier implements ActiveService {
    static final int COPIES = 10;
    static final int PAYLOAD = 8184;
    private static final long FIRST = 500_000_000;

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler();
    }

    /** One direction of one stream. */
    public static final class Handler implements StreamHandler {
        private boolean warm;

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (!warm) {
                LockSupport.parkNanos(FIRST);
                warm = true;
            }
            for (int i = 0; i < COPIES; i++) {
                out.emitPayload(out.allocator().buffer(PAYLOAD).writeZero(PAYLOAD));
            }
            return Verdict.TAKEN;
        }
    }
}
