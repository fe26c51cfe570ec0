package org.tamanoir.fleet.simulation;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.fleet.contact.AgentCore;
import org.tamanoir.fleet.contact.PartAnswer;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.report.PartRefusal;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.state.FleetTimes;
import org.tamanoir.fleet.tree.Canonical;

/** A node on the virtual clock of a {@link SimulatedFleet}. */
public final class SimulatedNode {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Of a question to a server that is away. */
    private static final long TIMEOUT = 5_000;
    private static final int MOST_APPLY = 200;

    private final SimulatedFleet fleet;
    private final String name;
    private AgentCore agent;
    private final RandomGenerator own;
    private long generation;
    private String sha256;
    private List<String> revoked = List.of();
    private long tookAt;
    private long revokedAt;
    private PartRefusal refusal;
    private boolean isBad;
    private boolean refuses;
    /** Grows with each death: what was under way for an earlier life comes to nothing. */
    private int life;

    SimulatedNode(SimulatedFleet fleet, String name, RandomGenerator own) {
        this.fleet = fleet;
        this.name = name;
        this.own = own;
        start();
    }

    private void start() {
        agent = new AgentCore(fleet.now(), FleetTimes.PRESET.poll(), own);
        act();
    }

    public String name() {
        return name;
    }

    /** Of the part that it has; null for none. */
    public String sha256() {
        return sha256;
    }

    /** When it took the part that it has. */
    public long tookAt() {
        return tookAt;
    }

    /** When it took the revocations that it has. */
    public long revokedAt() {
        return revokedAt;
    }

    public void bad(boolean now) {
        isBad = now;
    }

    public void refuses(boolean now) {
        refuses = now;
    }

    /** Killed; what it has taken is on its disk. */
    public void kill() {
        life++;
    }

    public void restart() {
        kill();
        start();
    }

    private void later(long millis, Runnable what) {
        int mine = life;
        fleet.after(millis, () -> {
            if (life == mine) {
                what.run();
            }
        });
    }

    private void act() {
        AgentCore.Action action = agent.next(fleet.now());
        if (action instanceof AgentCore.Wait wait) {
            later(wait.millis(), this::act);
        } else if (action instanceof AgentCore.Ask ask) {
            request(0, () -> question(ask.tag()), this::answered, () -> agent.refused(fleet.now()));
        } else {
            NodeReport report = new NodeReport(generation, sha256, refusal, new Health(isBad ? "degraded" : "ok", List.of(), 0, 0), List.of(), List.of(), "simulated");
            request(Canonical.octets(report.json()).length, () -> fleet.core().report(name, report, fleet.now()), millis -> agent.reported(fleet.now(), millis),
                    () -> agent.reported(fleet.now(), FleetTimes.PRESET.report().toMillis()));
        }
    }

    private FleetCore.Answer question(String tag) {
        FleetCore.Answer answer = fleet.core().answer(name);
        if (answer.tag().equals(tag)) {
            return null;
        }
        fleet.count(0, answer.json().length);
        return answer;
    }

    /** @param answer of the server; runs there */
    private <T> void request(int octets, Supplier<T> answer, Consumer<T> taken, Runnable refused) {
        later(fleet.way(), () -> {
            if (!fleet.isUp()) {
                later(TIMEOUT, () -> {
                    agent.failed(fleet.now());
                    act();
                });
                return;
            }
            fleet.count(1, SimulatedFleet.QUESTION_OCTETS + SimulatedFleet.ANSWER_OCTETS + octets);
            try {
                T given = answer.get();
                later(fleet.way(), () -> {
                    taken.accept(given);
                    act();
                });
            } catch (AnepException e) {
                later(fleet.way(), () -> {
                    refused.run();
                    act();
                });
            }
        });
    }

    private void answered(FleetCore.Answer answer) {
        if (answer == null) {
            agent.unchanged(fleet.now());
            return;
        }
        PartAnswer part = read(answer);
        if (!part.revoked().equals(revoked)) {
            revoked = part.revoked();
            revokedAt = fleet.now();
        }
        if (refuses) {
            refusal = new PartRefusal(part.part().sha256(), "EE-501", "it does not like it");
        } else {
            refusal = null;
            if (!part.part().sha256().equals(sha256)) {
                tookAt = fleet.now() + fleet.random().nextInt(MOST_APPLY);
            }
            sha256 = part.part().sha256();
            generation = part.generation();
        }
        agent.tried(fleet.now(), answer.tag(), part.poll());
    }

    private PartAnswer read(FleetCore.Answer answer) {
        try {
            return PartAnswer.read(MAPPER.readTree(answer.json()), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
