package org.tamanoir.benchmarks.survive;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.survive.Conversations.Side;
import org.tamanoir.benchmarks.survive.LoopbackSite.Way;
import org.tamanoir.benchmarks.survive.SurvivePlan.State;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Waiting;

/**
 * Many sessions through one gateway and one endpoint: the memory of both processes, and how soon all sessions go on when the node under them is killed. New
 * processes for each state, everything on this machine.
 */
public final class ManySessions extends MeasuredOutcome {
    private static final long FIRST_OCTETS = 64 << 10;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int LOOK_MILLIS = 10;
    private static final double MEGA = 1e6;
    private static final double MOST_MEMORY = 256;
    private static final double LATEST = 5;

    private final int sessions;
    private final List<State> states;

    private ManySessions(SurvivePlan plan, Measurements measured) {
        super("many", measured);
        sessions = plan.sessions();
        states = plan.states();
    }

    /** Runs every state that is asked for. */
    public static Outcome run(SurvivePlan plan, Consumer<String> progress) {
        ManySessions many = new ManySessions(plan, new Measurements(progress));
        many.measured.rounds(0, 1, round -> {
            for (State state : many.states) {
                many.measured.attemptAny(plan.sessions() + " sessions, " + state, () -> many.run(state, plan));
            }
        });
        return many;
    }

    private void run(State state, SurvivePlan plan) throws IOException {
        try (LoopbackSite site = new LoopbackSite(2, plan.service()); Conversations load = new Conversations()) {
            Way way = site.resuming(load.server(), List.of());
            long begun = System.nanoTime();
            load.open(way.entry(), sessions, PATIENCE);
            measured.add(key(state, "open", "s"), (System.nanoTime() - begun) / 1e9);
            load.send(null, FIRST_OCTETS);
            load.awaitArrived(FIRST_OCTETS, PATIENCE);
            way.processes().forEach(process -> process.resetPeak());
            begin(state, load);
            Pause.of(plan.rounds().run());
            memory(state, way, "");

            measured.doing(sessions + " sessions, " + state + ", killing their node");
            NodeProcess node = site.nodes.stream().max(Comparator.comparingInt(ManySessions::streams)).orElseThrow();
            // Some may have begun by the other node, where this one was not fast enough.
            int lost = streams(node);
            long before = resumptions(way);
            load.watchPauses();
            long killed = System.nanoTime();
            node.kill();
            measured.add(key(state, "half-on", "s"), (awaitResumptions(way, before + lost / 2) - killed) / 1e9);
            measured.add(last(state), (awaitResumptions(way, before + lost) - killed) / 1e9);
            if (state == State.BUSY) {
                List<Double> pauses = load.awaitPauses(PATIENCE);
                measured.add(key(state, "pause-median", "s"), pauses.get(pauses.size() / 2));
                measured.add(key(state, "pause-longest", "s"), pauses.get(pauses.size() - 1));
            }
            memory(state, way, "-after-kill");
            load.finish(PATIENCE);
            JsonNode status = way.status();
            measured.add(key(state, "resumptions", ""), status.path("resumptions").asLong());
            if (status.path("broken").asLong() > 0) {
                throw new LabException("the gateway has lost connections: " + status);
            }
        }
    }

    private static void begin(State state, Conversations load) {
        switch (state) {
            case IDLE -> { }
            case BUSY -> load.send(null, Conversations.ENDLESS);
            case STALLED -> {
                load.read(Side.SERVERS, false);
                load.send(Side.PROGRAMS, Conversations.ENDLESS);
            }
        }
    }

    private void memory(State state, Way way, String when) {
        measured.add(gateway(state, when), way.gateway().peak() / MEGA);
        measured.add(endpoint(state, when), way.endpoint().peak() / MEGA);
    }

    private static int streams(NodeProcess node) {
        return node.get("/streams").path("streams").size();
    }

    private static long resumptions(Way way) {
        return way.status().path("resumptions").asLong();
    }

    /** @return when they were seen */
    private static long awaitResumptions(Way way, long count) {
        Waiting.until(PATIENCE, LOOK_MILLIS, () -> resumptions(way), had -> had >= count, had -> had + " resumptions and not " + count + " after " + PATIENCE.toSeconds() + " s");
        return System.nanoTime();
    }

    private Key key(State state, String metric, String unit) {
        return new Key("many", state.toString(), 0, sessions, metric, unit);
    }

    private Key gateway(State state, String when) {
        return key(state, "gateway-peak" + when, "MB");
    }

    private Key endpoint(State state, String when) {
        return key(state, "endpoint-peak" + when, "MB");
    }

    private Key last(State state) {
        return key(state, "last-on", "s");
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (State state : states) {
            String what = String.format(Locale.ROOT, "%,d sessions, %s: ", sessions, state);
            targets.add(Target.atMost(what + "resident memory of the gateway, MB", samples().median(gateway(state, "")), MOST_MEMORY));
            targets.add(Target.atMost(what + "resident memory of the endpoint, MB", samples().median(endpoint(state, "")), MOST_MEMORY));
            targets.add(Target.atMost(what + "the last goes on after a kill, s", samples().median(last(state)), LATEST));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Many sessions. open: until all are, when their programs connect at once. peak: resident memory at its highest, before the kill and after it. on: from the kill until half of the sessions, or all, have "
                + "another node. pause: for which a program that is busy got nothing.");
        super.print(out);
        out.println();
    }
}
