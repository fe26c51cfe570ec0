package org.tamanoir.services.qosinus;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.qos.wire.Messages.Stop;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Timer;

/**
 * The programming phase on one stream of requests (active grid paper, section 4.1): a request goes from node to node to the last one, and
 * the answer comes back the same way. A node has stored the session, so that it survives a restart, before it answers. Who asked repeats
 * the request until there is an answer: a node that has answered does so again, one that waits passes the copy on.
 */
final class Programming {
    /** Requests of one stream that may be under way. */
    private static final int MOST_PENDING = 64;
    /** A node waits so much less than the one before it: its answer must still be in time there. */
    private static final int LESS_MS = 200;
    private static final int LEAST_PATIENCE_MS = 200;

    /** A request that has been passed on, until it is answered; settled when what is asked is being done here. */
    private static final class Pending {
        private final Request request;
        private final Stop self;
        private Timer timer;
        private boolean settled;

        private Pending(Request request, Stop self) {
            this.request = request;
            this.self = self;
        }
    }

    private final StreamContext stream;
    private final Registrar registrar;
    private final Map<Long, Pending> pending = new HashMap<>();
    private final Map<Long, Answer> answered = new HashMap<>();

    Programming(StreamContext stream, Registrar registrar) {
        this.stream = stream;
        this.registrar = registrar;
    }

    /** A request, lent during the call. */
    void request(Packet packet, ByteBuf payload, Output out) {
        Request request;
        try {
            request = Messages.request(payload);
        } catch (AnepException e) {
            registrar.counters().refused.increment();
            send(new Answer(Messages.numberOf(payload), 0, e.code(), e.text(), List.of()));
            return;
        }
        if (request == null) {
            return;
        }
        Answer before = answered.get(request.number());
        if (before != null) {
            send(before);
            return;
        }
        Pending waiting = pending.get(request.number());
        if (waiting != null) {
            if (!waiting.settled) {
                pass(packet, waiting.request, out);
            }
            return;
        }
        begin(packet, request, out);
    }

    private void begin(Packet packet, Request request, Output out) {
        Stop self = registrar.self(packet.hops());
        Request accepted;
        try {
            if (pending.size() >= MOST_PENDING) {
                throw new AnepException(ErrorCode.BUSY, pending.size() + " requests of this stream are under way");
            }
            accepted = registrar.accept(request, self, stream);
        } catch (AnepException e) {
            registrar.counters().refused.increment();
            finish(new Answer(request.number(), request.session(), e.code(), e.text(), List.of()));
            return;
        }
        Pending now = new Pending(accepted, self);
        pending.put(accepted.number(), now);
        if (stream.position().isLast()) {
            settle(now, new Answer(accepted.number(), accepted.session(), null, "", List.of()));
            return;
        }
        int patience = Math.max(LEAST_PATIENCE_MS, accepted.patienceMs());
        now.timer = stream.later(Duration.ofMillis(patience), (forward, back) -> late(now));
        pass(packet, accepted, out);
    }

    /** Passes a request on to the next node, this one added to its path. */
    private void pass(Packet packet, Request request, Output out) {
        Request shorter = new Request(request.op(), request.number(), request.session(), request.level(),
                Math.max(LEAST_PATIENCE_MS, request.patienceMs() - LESS_MS), request.path());
        ByteBuf payload = Messages.write(shorter, out.allocator());
        try {
            out.emit(new PacketBuilder(packet.typeId()).flags(packet.flags()).options(packet.options()).payload(payload).build(out.allocator()));
        } finally {
            payload.release();
        }
    }

    private void late(Pending late) {
        if (!late.settled) {
            settle(late, new Answer(late.request.number(), late.request.session(), ErrorCode.PARTIAL_PATH,
                    "no node behind " + late.self.node() + " has answered", List.of()));
        }
    }

    /**
     * An answer from behind.
     *
     * @return false if nobody here has asked
     */
    boolean answer(ByteBuf payload) {
        Answer answer;
        try {
            answer = Messages.answer(payload);
        } catch (AnepException e) {
            return false;
        }
        Pending asked = pending.get(answer.number());
        if (asked == null) {
            return answered.containsKey(answer.number());
        }
        // Who has not seen the request does not know the code.
        if (!asked.settled && answer.session() == asked.request.session()) {
            asked.timer.cancel();
            settle(asked, answer);
        }
        return true;
    }

    /** Everybody behind this node has answered, or nobody will: does here what was asked, and answers when that is safe. */
    private void settle(Pending asked, Answer behind) {
        asked.settled = true;
        Request request = asked.request;
        Stop self = asked.self;
        if (behind.code() == ErrorCode.BAD_SERVICE_LEVEL) {
            finish(behind);
            return;
        }
        List<Stop> path = new ArrayList<>();
        path.add(self);
        // No more than a path may have, whatever a node says of those behind it.
        path.addAll(behind.path().subList(0, Math.min(behind.path().size(), Request.MOST_STOPS - request.path().size())));
        CompletionStage<Void> safe;
        try {
            safe = registrar.commit(request, path, stream);
        } catch (AnepException e) {
            registrar.counters().refused.increment();
            finish(new Answer(request.number(), request.session(), e.code(), e.text(), List.of()));
            return;
        }
        Answer done = registrar.result(request, behind, path);
        safe.whenComplete((nothing, failure) -> stream.execute((forward, back) -> finish(failure == null ? done
                : new Answer(request.number(), request.session(), ErrorCode.STORE_FAILED, "node " + self.node() + " cannot keep the session: "
                        + failure.getMessage(), behind.path()))));
    }

    private void finish(Answer answer) {
        if (answered.size() >= MOST_PENDING) {
            answered.clear();
        }
        answered.put(answer.number(), answer);
        pending.remove(answer.number());
        send(answer);
    }

    private void send(Answer answer) {
        stream.execute((forward, back) -> {
            ByteBuf payload = Messages.write(answer, back.allocator());
            try {
                back.emit(new PacketBuilder(stream.typeId()).options(new PacketOptions().stream(stream.id(), 0)).payload(payload)
                        .build(back.allocator()));
            } finally {
                payload.release();
            }
        });
    }

    /** The stream is gone: so is everybody who waits for an answer on it. */
    void close() {
        // What they asked for was not done yet: sessions are made when everybody behind has answered.
        pending.clear();
    }
}
