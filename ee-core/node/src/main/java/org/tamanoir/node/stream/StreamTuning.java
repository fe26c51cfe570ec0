package org.tamanoir.node.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.tuning.LegFacts;
import org.tamanoir.node.tuning.TunedLeg;
import org.tamanoir.service.Level;

/**
 * The rules that the legs of one stream have. They are asked for when it begins to flow, and at a tick where something has changed: the class in which it
 * sends, the leg to the next hop, or the rules. So packets cost nothing. On the loop of the stream.
 */
final class StreamTuning {
    private final StreamEnvironment environment;
    private TcpStream stream;
    private LongSupplier paused;
    private LongSupplier pausedBack;
    private Tuned near;
    private Tuned far;

    /** A leg, and the class that it was asked for with. */
    private static final class Tuned {
        private final TunedLeg leg;
        private int codePoint = -1;

        Tuned(TunedLeg leg) {
            this.leg = leg;
        }
    }

    StreamTuning(StreamEnvironment environment) {
        this.environment = environment;
    }

    /** The stream flows. */
    void begin(TcpStream now, TcpDirection forward, TcpDirection back) {
        stream = now;
        paused = () -> forward.times().pausedNanos(System.nanoTime());
        pausedBack = () -> back.times().pausedNanos(System.nanoTime());
        tick();
    }

    void tick() {
        if (stream != null && (environment.tuning().isOn() || near != null)) {
            near = tick(near, stream.before(), pausedBack, false);
            far = tick(far, stream.after(), paused, true);
        }
    }

    private Tuned tick(Tuned before, TcpLeg leg, LongSupplier its, boolean onward) {
        if (leg == null) {
            return null;
        }
        Tuned now = before == null || before.leg.leg() != leg ? new Tuned(new TunedLeg(environment.tuning(), leg, its)) : before;
        if (now.leg.isStale() || now.codePoint != leg.codePoint()) {
            now.codePoint = leg.codePoint();
            now.leg.match(facts(leg, onward));
        }
        now.leg.tick();
        return now;
    }

    private LegFacts facts(TcpLeg leg, boolean onward) {
        StreamInfo info = stream.info;
        Level level = stream.services().stream().map(RunningService::level).max(Level::compareTo).orElse(Level.LIGHT);
        return new LegFacts(onward, leg.peer().getAddress(), Set.copyOf(info.chain()), leg.codePoint(), info.options().qosSession(), level);
    }

    private List<TunedLeg> legs() {
        List<TunedLeg> legs = new ArrayList<>();
        if (near != null) {
            legs.add(near.leg);
        }
        if (far != null) {
            legs.add(far.leg);
        }
        return legs;
    }

    /** A leg may be closed from now on. */
    void look() {
        legs().forEach(TunedLeg::look);
    }

    /** The stream is over. */
    void ended() {
        legs().forEach(TunedLeg::ended);
        stream = null;
    }

    /** The rules that its legs have now, the leg that it came on first; null for none. */
    String rules() {
        List<String> names = legs().stream().map(TunedLeg::rule).filter(each -> each != null).distinct().toList();
        return names.isEmpty() ? null : String.join(", ", names);
    }
}
