package org.tamanoir.node.probe;

import java.io.IOException;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.node.probe.ProbeService.ProbeCounters;

/** Answers the probes that come to a socket, a batch at a time. */
final class Reflector {
    private static final int BATCH = 64;
    /** How long it does not look when all that it saw was above the rate: what comes meanwhile is the kernel's to drop. */
    private static final long REST = 1_000_000L;
    /** A name for nobody: port 0 cannot be answered. */
    private static final int NO_PORT = 0;

    private final ProbeSockets.Socket socket;
    private final RateBound bound;
    private final ProbeCounters counters;
    private final DatagramBatch batch = new DatagramBatch(BATCH);
    private long restsUntil = System.nanoTime();

    Reflector(ProbeSockets.Socket socket, RateBound bound, ProbeCounters counters) {
        this.socket = socket;
        this.bound = bound;
        this.counters = counters;
    }

    ProbeSockets.Socket socket() {
        return socket;
    }

    /** The time until which it does not look; in the past if it does. */
    long restsUntil() {
        return restsUntil;
    }

    /** Answers what is there. @return whether there was as much as a turn takes: there may be more */
    boolean turn(long now, int errorEstimate) throws IOException {
        int count = socket.receive(batch);
        int answers = 0;
        int refused = 0;
        for (int i = 0; i < count; i++) {
            if (!bound.admits(batch.network(i), batch.host(i), now)) {
                refused++;
                batch.length(i, 0);
            } else if (answer(i, errorEstimate)) {
                answers++;
            } else {
                batch.length(i, 0);
            }
        }
        counters.overRate().add(refused);
        if (answers > 0) {
            int sent = socket.send(batch, count);
            counters.answered().add(sent);
            counters.unsent().add(answers - sent);
        }
        if (refused > 0 && refused == count) {
            restsUntil = now + REST;
        }
        return count == BATCH;
    }

    private boolean answer(int i, int errorEstimate) {
        int tos = batch.cut(i) || batch.port(i) == NO_PORT ? StampReply.NO_PROBE : StampReply.answer(batch.octets(), batch.at(i),
                batch.length(i), batch.tos(i), batch.ttl(i), batch.time(i), errorEstimate);
        if (tos < 0) {
            (tos == StampReply.AN_ANSWER ? counters.looped() : counters.malformed()).increment();
            return false;
        }
        batch.sendTos(i, tos);
        return true;
    }
}
