package org.tamanoir.fleet.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;

/**
 * A server and nodes on a virtual clock, driven by the cores that drive real ones: {@link FleetCore} and {@link org.tamanoir.fleet.contact.AgentCore}. What is
 * simulated is the way between them, the server's death, and that a node takes some time to apply something. All that is random comes from one seed.
 */
public final class SimulatedFleet {
    /** Octets of a question and of an answer without their bodies, TCP and IP left out; {@code AFleetTest} holds them against a real server. */
    public static final int QUESTION_OCTETS = 300;
    public static final int ANSWER_OCTETS = 200;
    private static final long TICK = 500;
    private static final int MOST_WAY = 50;

    /** Something that happens. */
    private record Event(long at, long order, Runnable what) {
    }

    /** What the server had to do in one second. */
    public record Second(int requests, long octets) {
        static final Second NOTHING = new Second(0, 0);
    }

    private final RandomGenerator random;
    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Map<Long, Second> seconds = new HashMap<>();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<Long, Generation> kept = new HashMap<>();
    private FleetRecord disk = FleetRecord.EMPTY;
    private FleetCore core;
    private boolean isUp = true;
    private long now;
    private long order;

    public SimulatedFleet(RandomGenerator random) {
        this.random = random;
        this.core = new FleetCore(disk, kept::get, 0);
        after(TICK, this::tick);
    }

    RandomGenerator random() {
        return random;
    }

    void after(long millis, Runnable what) {
        events.add(new Event(now + Math.max(0, millis), order++, what));
    }

    long way() {
        return 1 + random.nextInt(MOST_WAY);
    }

    boolean isUp() {
        return isUp;
    }

    void count(int requests, long octets) {
        Second before = seconds.getOrDefault(now / 1000, Second.NOTHING);
        seconds.put(now / 1000, new Second(before.requests + requests, before.octets + octets));
    }

    /** @param own what the node draws its times from */
    public SimulatedNode add(String name, RandomGenerator own) {
        SimulatedNode node = new SimulatedNode(this, name, own);
        nodes.add(node);
        return node;
    }

    private void tick() {
        if (isUp) {
            keep(core.tick(now, "at " + now));
        }
        after(TICK, this::tick);
    }

    /** First the disk, then the world. */
    private void keep(FleetCore.Proposal proposal) {
        if (proposal != null) {
            if (proposal.added() != null) {
                kept.put(proposal.added().number(), proposal.added());
            }
            disk = proposal.record();
            core.took(proposal, now);
        }
    }

    /** An operator applies a state. */
    public void apply(JsonNode state, boolean atOnce) {
        keep(core.apply(new FleetCore.Wish(state.deepCopy(), core.record().generation(), "somebody", "", atOnce), "at " + now));
    }

    /** The server is killed. */
    public void down() {
        isUp = false;
    }

    /** It is started again, and knows what was on its disk. */
    public void up() {
        isUp = true;
        core = new FleetCore(disk, kept::get, now);
    }

    /** Lets so many milliseconds pass. */
    public void run(long millis) {
        long end = now + millis;
        while (events.peek().at() <= end) {
            Event event = events.poll();
            now = event.at();
            event.what().run();
        }
        now = end;
    }

    public long now() {
        return now;
    }

    public FleetCore core() {
        return core;
    }

    public List<SimulatedNode> nodes() {
        return nodes;
    }

    /** What the server had to do in each second of a time. */
    public List<Second> load(long from, long to) {
        List<Second> load = new ArrayList<>();
        for (long second = from / 1000; second < to / 1000; second++) {
            load.add(seconds.getOrDefault(second, Second.NOTHING));
        }
        return load;
    }
}
