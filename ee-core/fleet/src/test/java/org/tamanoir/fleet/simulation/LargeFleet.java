package org.tamanoir.fleet.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.tamanoir.fleet.tree.Canonical;

/** 1,000 nodes with ten services each, every one in a version of its own: 10,000 versions. What such a fleet does to its server, and how soon nodes have something. */
public final class LargeFleet {
    public static final int NODES = 1_000;
    public static final int SERVICES = 10;
    /** Of a second, beside the usual: more than that is a crowd. */
    public static final double CROWD = 1.5;
    private static final int CANARIES = 10;
    private static final int FIRST_QUARTER = 250;
    private static final int OF_A_NETWORK = 250;
    private static final long MINUTE = 60_000;
    private static final long STEP = 100;

    /**
     * How a server is found back. Requests are those of one second.
     *
     * @param steady the mean before the outage
     * @param peak   the most after it
     * @param crowd  seconds after it with more than {@link #CROWD} times as many as before
     * @param back   milliseconds until every node has reported again
     * @param octets of the busiest second, there and back
     */
    public record Outage(double steady, int peak, int crowd, long back, long octets) {
    }

    /** Milliseconds until so many of 100 nodes have something, and until all have. */
    public record Spread(long p50, long p99, long all) {
    }

    private final SimulatedFleet fleet;
    private final ObjectNode state = JsonNodeFactory.instance.objectNode();

    /** @param jitter whether nodes draw their times; otherwise all begin at once and count the same way */
    public LargeFleet(long seed, boolean jitter) {
        SplittableRandom random = new SplittableRandom(seed);
        fleet = new SimulatedFleet(random);
        ObjectNode settings = state.putObject("fleet");
        ArrayNode rings = settings.putArray("rings");
        rings.addObject().put("name", "canary").putArray("labels").add("canary");
        rings.addObject().put("name", "quarter").putArray("labels").add("quarter");
        rings.addObject().put("name", "all");
        settings.putObject("rollout").put("soak", "60s");
        settings.putObject("defaults").putObject("limits").put("streams-per-source", 256);
        ObjectNode named = settings.putObject("nodes");
        ObjectNode fragments = state.putObject("nodes");
        for (int i = 0; i < NODES; i++) {
            ArrayNode labels = named.putObject(name(i)).putArray("labels");
            if (i < FIRST_QUARTER) {
                labels.add(i < CANARIES ? "canary" : "quarter");
            }
            ObjectNode fragment = fragments.putObject(name(i));
            fragment.putObject("routes").put("10." + i / OF_A_NETWORK + "." + i % OF_A_NETWORK + ".0/24", "direct");
            versions(fragment, i, 0);
        }
        for (int i = 0; i < NODES; i++) {
            fleet.add(name(i), jitter ? random.split() : (RandomGenerator) () -> Long.MAX_VALUE);
        }
        fleet.apply(state, true);
        fleet.run(3 * MINUTE);
    }

    private static String name(int i) {
        return String.format("edge-%04d", i);
    }

    private static void versions(ObjectNode fragment, int node, int round) {
        ObjectNode versions = fragment.putObject("versions");
        for (int service = 0; service < SERVICES; service++) {
            versions.put("service-" + service, "1." + node + "." + (service + round));
        }
    }

    /** The names of its nodes. */
    public List<String> names() {
        return fleet.nodes().stream().map(SimulatedNode::name).toList();
    }

    /** What an operator uploads, with other versions in each round. */
    public JsonNode state(int round) {
        ObjectNode next = state.deepCopy();
        for (int i = 0; i < NODES; i++) {
            versions(next.withObjectProperty("nodes").withObjectProperty(name(i)), i, round);
        }
        return next;
    }

    /** Octets of what an operator uploads. */
    public int stateOctets() {
        return Canonical.octets(state).length;
    }

    /** Octets of what a node is given. */
    public int answerOctets() {
        return fleet.core().answer(name(0)).json().length;
    }

    /** The server is away for so long. */
    public Outage outage(long millis) {
        long before = fleet.now();
        fleet.run(MINUTE);
        double steady = fleet.load(before, fleet.now()).stream().mapToInt(SimulatedFleet.Second::requests).average().orElse(0);
        fleet.down();
        fleet.run(millis);
        fleet.up();
        long begin = fleet.now();
        while (fleet.core().standings(fleet.now()).stream().anyMatch(each -> each.heard() == null)) {
            fleet.run(STEP);
        }
        long back = fleet.now() - begin;
        fleet.run(5 * MINUTE);
        List<SimulatedFleet.Second> load = fleet.load(begin, fleet.now());
        return new Outage(steady, load.stream().mapToInt(SimulatedFleet.Second::requests).max().orElse(0),
                (int) load.stream().filter(each -> each.requests() > CROWD * steady).count(), back, load.stream().mapToLong(SimulatedFleet.Second::octets).max().orElse(0));
    }

    /** Something is revoked. */
    public Spread revoke() {
        state.withObjectProperty("fleet").withArrayProperty("revoked").add("key " + Canonical.sha256(JsonNodeFactory.instance.numberNode(fleet.now())));
        long begin = fleet.now();
        fleet.apply(state, false);
        fleet.run(2 * MINUTE);
        return spread(begin, SimulatedNode::revokedAt);
    }

    /** Every node gets other versions. @param atOnce and not ring by ring */
    public Spread release(int round, boolean atOnce) {
        for (int i = 0; i < NODES; i++) {
            versions(state.withObjectProperty("nodes").withObjectProperty(name(i)), i, round);
        }
        long begin = fleet.now();
        fleet.apply(state, atOnce);
        fleet.run(5 * MINUTE);
        return spread(begin, SimulatedNode::tookAt);
    }

    private Spread spread(long begin, ToLongFunction<SimulatedNode> at) {
        long[] times = fleet.nodes().stream().mapToLong(at).map(each -> each < begin ? Long.MAX_VALUE : each - begin).sorted().toArray();
        return new Spread(times[NODES / 2 - 1], times[NODES * 99 / 100 - 1], times[NODES - 1]);
    }
}
