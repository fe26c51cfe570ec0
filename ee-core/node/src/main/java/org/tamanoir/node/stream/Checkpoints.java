package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.CheckpointedHandler;
import org.tamanoir.service.Output;

/**
 * What one handler adds to what the ends of a session say, and takes from it: its state goes with each mark to the end that the mark goes to, and comes back
 * from there with the answer to a chain of nodes that goes on ({@code docs/anep.md}). What is added first is taken last, for each way back passes the
 * services in reverse.
 */
final class Checkpoints {
    /** Octets of an entry beside its label and its state: two lengths, padding. */
    private static final int ENTRY = 8;

    private final RunningService service;
    private final CheckpointedHandler handler;
    /** Whether the session begins by this stream: who knows something says so, without what it knows. */
    private final boolean fresh;

    Checkpoints(RunningService service, CheckpointedHandler handler, Resume resume) {
        this.service = service;
        this.handler = handler;
        this.fresh = resume.fresh();
    }

    /** The first packet on its way to the destination. */
    Resume resume(Resume first) throws Exception {
        if (fresh) {
            return first.with(plus(first.states(), CheckpointedHandler.NOTHING));
        }
        byte[] state = taken(first);
        if (state.length > 0) {
            handler.restoreReturn(state);
        }
        return first.with(less(first.states()));
    }

    /**
     * A welcome, or a mark.
     *
     * @param out where the handler emits what it holds
     * @return the packet that goes on in its place, for the caller to release
     */
    ByteBuf passed(Packet packet, boolean back, Output out) throws Exception {
        PacketOptions options = packet.options();
        SessionMessage said = options.session();
        List<State> states = said.states();
        if (said instanceof Mark mark) {
            states = mark.over() == null ? plus(states, back ? handler.checkpointReturn(out) : handler.checkpoint(out)) : states;
        } else if (fresh) {
            states = plus(states, CheckpointedHandler.NOTHING);
        } else {
            byte[] state = taken(said);
            if (state.length > 0) {
                handler.restore(state);
            }
            states = less(states);
        }
        return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options.session(said.with(states))).build(PooledByteBufAllocator.DEFAULT);
    }

    private String label() {
        return service.name() + " " + service.version();
    }

    private List<State> plus(List<State> states, byte[] octets) {
        if (octets == null) {
            throw new AnepException(ErrorCode.SERVICE_ERROR, service + " returned no checkpoint");
        }
        List<State> more = new ArrayList<>(states);
        more.add(new State(label(), octets));
        int all = more.stream().mapToInt(each -> each.of().getBytes(StandardCharsets.UTF_8).length + each.octets().length + ENTRY).sum();
        if (all > SessionMessage.MOST_STATE) {
            throw new AnepException(ErrorCode.NOT_RESUMABLE, service + " knows " + octets.length + " octets; all services of a stream may know "
                    + SessionMessage.MOST_STATE + " together");
        }
        return more;
    }

    /** The state that is next; of this service, or the session does not go on here. */
    private byte[] taken(SessionMessage said) {
        List<State> states = said.states();
        State last = states.isEmpty() ? null : states.get(states.size() - 1);
        if (last == null || !last.of().equals(label())) {
            throw new AnepException(ErrorCode.SESSION_STATE, "a session would go on by " + label() + ", and what it brings is "
                    + (last == null ? "of no service" : "of " + last.of()));
        }
        return last.octets();
    }

    private static List<State> less(List<State> states) {
        return states.subList(0, states.size() - 1);
    }
}
