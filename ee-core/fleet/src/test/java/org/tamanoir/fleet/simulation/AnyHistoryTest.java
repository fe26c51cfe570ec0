package org.tamanoir.fleet.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.RolloutState.Phase;

/**
 * Operators apply, the server is killed, nodes are killed, fall ill and recover, all at random times. Whatever happens: no ring begins before the one before has
 * soaked, a node only ever has what some generation says of it, and when it is quiet every node has what it is to have.
 */
@Tag("seeded")
class AnyHistoryTest {
    private static final int NODES = 12;
    private static final long SOAK = 20_000;

    private SplittableRandom random;
    private SimulatedFleet fleet;
    private long[] ringBegan;
    private int ring;
    private long generation;

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    static LongStream manySeeds() {
        return LongStream.range(1_000, 4_000);
    }

    private static JsonNode state(int round, boolean rollback) {
        ObjectNode state = JsonNodeFactory.instance.objectNode();
        ObjectNode settings = state.putObject("fleet");
        settings.putObject("rollout").put("soak", SOAK + "ms").put("max-unhealthy", 0).put("patience", "120s").put("on-stop", rollback ? "rollback" : "hold");
        settings.putArray("rings").add(ringOf("one", 0)).add(ringOf("two", 3)).addObject().put("name", "three");
        for (int i = 0; i < NODES; i++) {
            settings.withObjectProperty("nodes").putObject("n" + i);
            state.withObjectProperty("nodes").putObject("n" + i).putObject("limits").put("streams", 100 + round);
        }
        return state;
    }

    private static ObjectNode ringOf(String name, int first) {
        ObjectNode ring = JsonNodeFactory.instance.objectNode().put("name", name);
        ring.putArray("nodes").add("n" + first).add("n" + (first + 1)).add("n" + (first + 2));
        return ring;
    }

    private void history(long seed, boolean calm) {
        random = new SplittableRandom(seed);
        fleet = new SimulatedFleet(random);
        for (int i = 0; i < NODES; i++) {
            fleet.add("n" + i, random.split());
        }
        fleet.apply(state(0, false), true);
        fleet.run(60_000);
        ringBegan = new long[3];
        int round = 1;
        for (int step = 0; step < 400; step++) {
            if (!calm) {
                disturb();
            }
            if (random.nextInt(80) == 0 && fleet.isUp()) {
                fleet.apply(state(round++, random.nextBoolean()), false);
            }
            fleet.run(random.nextInt(3_000));
            watch();
        }
        fleet.nodes().forEach(node -> {
            node.bad(false);
            node.refuses(false);
            node.restart();
        });
        fleet.up();
        fleet.run(120_000);
        fleet.apply(state(round, false), false);
        for (int i = 0; i < 200; i++) {
            fleet.run(2_000);
            watch();
        }
        FleetRecord record = fleet.core().record();
        assertThat(record.rollout().phase()).as(record.rollout().why()).isEqualTo(Phase.DONE);
        fleet.nodes().forEach(node -> assertThat(node.sha256()).isEqualTo(fleet.core().assigned(node.name()).sha256()));
        assertThat(record.assigned().values()).containsOnly(record.generation());
    }

    private void disturb() {
        SimulatedNode one = fleet.nodes().get(random.nextInt(NODES));
        switch (random.nextInt(40)) {
            case 0 -> fleet.down();
            case 1, 2, 3 -> fleet.up();
            case 4 -> one.kill();
            case 5, 6 -> one.restart();
            case 7 -> one.bad(true);
            case 8, 9, 10 -> fleet.nodes().forEach(each -> each.bad(false));
            case 11 -> one.refuses(true);
            case 12, 13 -> fleet.nodes().forEach(each -> each.refuses(false));
            default -> {
            }
        }
    }

    private void watch() {
        FleetRecord record = fleet.core().record();
        if (record.generation() != generation) {
            generation = record.generation();
            ring = record.rollout().ring();
            ringBegan[ring] = fleet.now();
        }
        if (record.rollout().ring() > ring) {
            assertThat(record.rollout().ring()).isEqualTo(ring + 1);
            assertThat(fleet.now() - ringBegan[ring]).as("ring %d begins after another has soaked", ring + 1).isGreaterThanOrEqualTo(SOAK - 3_000);
            ring = record.rollout().ring();
            ringBegan[ring] = fleet.now();
        }
        if (record.rollout().phase() == Phase.RUNNING) {
            List<List<String>> members = fleet.core().state().members();
            for (int i = ring + 1; i < members.size(); i++) {
                assertThat(members.get(i)).as("ring %d has not begun", i).allMatch(node -> record.assigned().get(node) < record.generation() || !record.rollout().before().containsKey(node));
            }
        }
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("seeds")
    void endsWithEveryNodeAsItIsWanted(long seed) {
        history(seed, false);
    }

    @Test
    void withoutTroubleToo() {
        history(7, true);
        assertThat(generation).isGreaterThan(2);
    }

    @Tag("sweep")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void endsWithEveryNodeAsItIsWantedAgainAndAgain(long seed) {
        history(seed, false);
    }
}
