package org.tamanoir.services.interest.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Predicate;
import org.tamanoir.services.interest.filter.Region;
import org.tamanoir.services.interest.filter.TopicPattern;
import org.tamanoir.services.interest.tree.TreeWorld.Program;
import org.tamanoir.services.interest.tree.TreeWorld.Site;

/** Events that come by datagrams, with the rules that drop in front of each node of random trees: whatever comes, goes and breaks, none is dropped that somebody wants. */
@Tag("seeded")
class RulesDropOnlyWhatNobodyWantsTest {
    private static final Limits LIMITS = new Limits(1000, 10_000, 1000, 1000, 100, 16 << 20);
    private static final Limits FEW = new Limits(1000, 10_000, 1000, 4, 100, 16 << 20);
    /** More than groups, so that some share one. */
    private static final int TOPICS = 700;

    /** Mostly of single topics, or rules would drop nothing. */
    private static Filter filter(Random random) {
        String topic = topic(random);
        Region region = random.nextInt(3) == 0 ? Region.box(0, 0, 10, 10) : null;
        return switch (random.nextInt(30)) {
            case 0 -> new Filter(TopicPattern.ALL, null, region, 0);
            case 1 -> new Filter(TopicPattern.of("a/#"), new Predicate("data.v > 50", null, null), region, 0);
            case 2 -> new Filter(TopicPattern.ALL, new Predicate("topic == '" + topic + "'", null, null), region, 0);
            case 3 -> new Filter(TopicPattern.of("a/#"), new Predicate("topic in ['" + topic + "', '" + topic(random) + "'] && data.v > 50", null, null), region, 0);
            default -> new Filter(TopicPattern.of(topic), random.nextBoolean() ? new Predicate("data.v > 50", null, null) : null, region, 0);
        };
    }

    private static String topic(Random random) {
        return "a/" + random.nextInt(TOPICS);
    }

    private record Happening(long id, String topic, int v, ByteBuf frame) {
        static Happening of(long id, String topic, Random random) {
            int v = random.nextInt(100);
            return new Happening(id, topic, v, EventView.frame(topic, EventView.JSON, new double[] {5, 5}, ("{\"v\":" + v + ",\"id\":" + id + "}").getBytes(StandardCharsets.UTF_8)));
        }

        /** As the README says it. */
        boolean matches(Filter filter) {
            String pattern = filter.topic().toString();
            if (!pattern.endsWith("#") && !pattern.equals(topic)) {
                return false;
            }
            String where = filter.where() == null ? "" : filter.where().text();
            return (!where.contains("topic") || where.contains("'" + topic + "'")) && (!where.contains("data.v") || v > 50);
        }
    }

    private static String someTopic(Program of, Random random) {
        // What is wanted is what a wrong rule would take.
        for (Filter filter : of.wants.values()) {
            if (!filter.topic().prefix() && random.nextInt(3) > 0) {
                return filter.topic().base();
            }
            if (filter.where() != null && filter.where().text().contains("'")) {
                return filter.where().text().split("'")[1];
            }
        }
        return topic(random);
    }

    /** @return how many events rules have dropped */
    private static long world(long seed, int rounds, Limits limits) {
        Random random = new Random(seed);
        TreeWorld world = new TreeWorld(seed, 1 + random.nextInt(6), limits);
        for (int i = 2 + random.nextInt(5); i > 0; i--) {
            world.program(random.nextInt(world.nodes.size()));
        }
        long dropped = 0;
        long id = 0;
        for (int round = 0; round < rounds; round++) {
            for (int change = random.nextInt(8); change > 0; change--) {
                change(world, random);
            }
            world.nodes.forEach(Site::connect);
            world.settle();
            tick(world, random);
            for (int i = 0; i < 20; i++) {
                Program wanting = world.programs.get(random.nextInt(world.programs.size()));
                Happening happening = Happening.of(id++, someTopic(wanting, random), random);
                Site at = world.nodes.get(random.nextInt(world.nodes.size()));
                dropped += world.comes(at, happening.topic(), happening.frame()) ? 1 : 0;
                world.settle();
                for (Program program : world.programs) {
                    boolean wants = program.wants.values().stream().anyMatch(happening::matches);
                    assertThat(program.got.remove(happening.id())).as("seed %d: %s for %s", seed, happening, program.wants).isEqualTo(wants ? 1 : null);
                }
            }
        }
        return dropped;
    }

    private static void tick(TreeWorld world, Random random) {
        world.now += random.nextInt(2_000_000_000);
        world.nodes.forEach(node -> node.drops.tick(world.now));
    }

    private static void change(TreeWorld world, Random random) {
        Program program = world.programs.get(random.nextInt(world.programs.size()));
        Site node = world.nodes.get(random.nextInt(world.nodes.size()));
        switch (random.nextInt(8)) {
            case 0, 1 -> program.wants(filter(random));
            case 2, 3, 4 -> program.wants.keySet().stream().findFirst().ifPresent(program::wantsNoMore);
            case 5 -> node.cut();
            case 6 -> node.connect();
            default -> tick(world, random);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            world.step();
        }
    }

    private static void worlds(int count, int rounds) {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("RulesDropOnlyWhatNobodyWantsTest seed " + seed);
        long dropped = 0;
        for (int i = 0; i < count; i++) {
            dropped += world(seed + i, rounds, i % 3 == 0 ? FEW : LIMITS);
        }
        assertThat(dropped).as("events that rules have dropped").isGreaterThan(count);
    }

    @Test
    void whateverComesGoesAndBreaks() {
        worlds(40, 10);
    }

    @Test
    @Tag("sweep")
    void inAMillionEvents() {
        worlds(500, 100);
    }

    /** A program that has heard that its filter is in force gets each event of it from then on, wherever it comes, while others say and unsay and rules are put. */
    @Test
    void nothingIsDroppedFromTheMomentInWhichItIsInForce() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("RulesDropOnlyWhatNobodyWantsTest seed " + seed);
        long dropped = 0;
        for (int i = 0; i < 40; i++) {
            Random random = new Random(seed + i);
            TreeWorld world = new TreeWorld(seed + i, 2 + random.nextInt(5), random.nextBoolean() ? FEW : LIMITS);
            for (int p = 0; p < 4; p++) {
                world.program(random.nextInt(world.nodes.size()));
            }
            world.settle();
            Program watched = world.programs.get(0);
            for (int n = 0; n < 10; n++) {
                tick(world, random);
                Filter filter = filter(random);
                int number = watched.wants(filter);
                for (int step = 0; !watched.ready.contains(number); step++) {
                    Program other = world.programs.get(1 + random.nextInt(3));
                    if (step > 30) {
                        // Others who never rest have filters merged and parted anew each time, and it takes very long.
                        world.settle();
                    } else if (random.nextInt(4) == 0) {
                        other.wants(filter(random));
                    } else if (random.nextInt(2) == 0) {
                        other.wants.keySet().stream().findFirst().ifPresent(other::wantsNoMore);
                    } else {
                        tick(world, random);
                    }
                    world.step();
                }
                for (int e = 0; e < 5; e++) {
                    if (random.nextBoolean()) {
                        tick(world, random);
                    }
                    Happening happening = Happening.of(n * 100L + e, someTopic(watched, random), random);
                    dropped += world.comes(world.nodes.get(random.nextInt(world.nodes.size())), happening.topic(), happening.frame()) ? 1 : 0;
                    if (watched.wants.values().stream().anyMatch(happening::matches)) {
                        world.settle();
                        assertThat(watched.got).as("seed %d: %s for %s", seed + i, happening, filter).containsEntry(happening.id(), 1);
                    }
                }
                if (random.nextBoolean()) {
                    watched.wantsNoMore(number);
                }
            }
        }
        assertThat(dropped).as("events that rules have dropped").isGreaterThan(20);
    }
}
