package org.tamanoir.services.interest.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Predicate;
import org.tamanoir.services.interest.filter.Region;
import org.tamanoir.services.interest.filter.TopicPattern;
import org.tamanoir.services.interest.tree.TreeWorld.Program;
import org.tamanoir.services.interest.tree.TreeWorld.Site;
import org.tamanoir.interest.wire.EventView;

/** Random trees of nodes whose programs want random things, beside an oracle that looks at each filter: nobody misses an event, nobody gets one twice or one that he does not want. */
@Tag("seeded")
class EventsGoWhereTheyAreWantedTest {
    private static final Limits LIMITS = new Limits(1000, 10_000, 1000, 1000, 100, 16 << 20);
    private static final Limits FEW = new Limits(1000, 10_000, 1000, 4, 100, 16 << 20);
    private static final String[] TOPICS = {"a", "a/b", "a/b/c", "a/b/d", "b", "b/c", "b/c/d", "c"};
    private static final String[] PATTERNS = {"#", "a/#", "a/b/#", "b/#", "b/c/#", "c/#", "a", "a/b", "a/b/c", "b/c/d", "c"};
    private static final String[] PREDICATES = {"data.v > 50", "data.v <= 20 && has(data.v)", "data.kind == 'x'"};

    /** An event, and what the oracle knows of it. */
    private record Happening(long id, String topic, double x, double y, int v, String kind, ByteBuf frame) {
        static Happening of(long id, Random random) {
            String topic = TOPICS[random.nextInt(TOPICS.length)];
            boolean placed = random.nextInt(4) > 0;
            // Edges of regions are met on purpose.
            double x = placed ? random.nextInt(21) * 5 : Double.NaN;
            double y = placed ? random.nextInt(21) * 5 : Double.NaN;
            int v = random.nextInt(100);
            String kind = random.nextBoolean() ? "x" : "y";
            byte[] data = ("{\"v\":" + v + ",\"kind\":\"" + kind + "\",\"id\":" + id + "}").getBytes(StandardCharsets.UTF_8);
            return new Happening(id, topic, x, y, v, kind, EventView.frame(topic, EventView.JSON, placed ? new double[] {x, y} : null, data));
        }

        /** As the README says it, and not as the service does it. */
        boolean matches(Filter filter) {
            String pattern = filter.topic().toString();
            boolean named = pattern.equals("#") || pattern.equals(topic) || pattern.endsWith("/#") && (topic + "/").startsWith(pattern.substring(0, pattern.length() - 1));
            if (!named || filter.region() != null && (Double.isNaN(x) || !filter.region().contains(x, y))) {
                return false;
            }
            if (filter.where() == null) {
                return true;
            }
            return switch (filter.where().text()) {
                case "data.v > 50" -> v > 50;
                case "data.kind == 'x'" -> kind.equals("x");
                default -> v <= 20;
            };
        }
    }

    private static Filter filter(Random random) {
        Region region = switch (random.nextInt(4)) {
            case 0 -> Region.box(random.nextInt(10) * 5, random.nextInt(10) * 5, 50 + random.nextInt(10) * 5, 50 + random.nextInt(10) * 5);
            // Of three corners in a line, which is no polygon, the last cannot be above the line between the others.
            case 1 -> Region.polygon(new double[] {random.nextInt(40), random.nextInt(40), 60 + random.nextInt(40), random.nextInt(40), 40 + random.nextInt(20), 60 + random.nextInt(40)});
            default -> null;
        };
        Predicate where = random.nextInt(3) == 0 ? new Predicate(PREDICATES[random.nextInt(PREDICATES.length)], null, null) : null;
        return new Filter(TopicPattern.of(PATTERNS[random.nextInt(PATTERNS.length)]), where, region, 0);
    }

    /** Filters come and go, links break and come back; once everything was delivered, events arrive as the oracle says. */
    private static void world(long seed, int events, Limits limits) {
        Random random = new Random(seed);
        TreeWorld world = new TreeWorld(seed, 1 + random.nextInt(8), limits);
        for (int i = 3 + random.nextInt(8); i > 0; i--) {
            world.program(random.nextInt(world.nodes.size()));
        }
        long id = 0;
        while (id < events) {
            for (int change = random.nextInt(12); change > 0; change--) {
                change(world, random);
            }
            world.nodes.forEach(Site::connect);
            world.settle();
            for (Program program : world.programs) {
                assertThat(program.ready).as("seed %d: in force once everybody has heard", seed).containsAll(program.wants.keySet());
            }
            for (int i = 0; i < 50; i++) {
                Happening happening = Happening.of(id++, random);
                Program source = world.programs.get(random.nextInt(world.programs.size()));
                long before = world.eventsOnLinks;
                source.publishes(happening.frame());
                world.settle();
                List<Program> wanting = new ArrayList<>();
                for (Program program : world.programs) {
                    boolean wants = program != source && program.wants.values().stream().anyMatch(happening::matches);
                    if (wants) {
                        wanting.add(program);
                    }
                    assertThat(program.got.remove(happening.id())).as("seed %d: %s for %s", seed, happening, program.wants).isEqualTo(wants ? 1 : null);
                }
                if (limits == LIMITS) {
                    assertThat(world.eventsOnLinks - before).as("seed %d: links that %s crosses", seed, happening).isEqualTo(world.linksNeeded(source.at, null, wanting::contains));
                }
            }
        }
    }

    private static void change(TreeWorld world, Random random) {
        Program program = world.programs.get(random.nextInt(world.programs.size()));
        Site node = world.nodes.get(random.nextInt(world.nodes.size()));
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> program.wants(filter(random));
            case 3 -> program.wants.keySet().stream().findFirst().ifPresent(program::wantsNoMore);
            case 4 -> node.cut();
            default -> node.connect();
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            world.step();
        }
    }

    @Test
    void asAnOracleSays() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("EventsGoWhereTheyAreWantedTest seed " + seed);
        for (int i = 0; i < 60; i++) {
            world(seed + i, 400, i % 3 == 0 ? FEW : LIMITS);
        }
    }

    @Test
    @Tag("sweep")
    void aMillionEventsAsAnOracleSays() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("EventsGoWhereTheyAreWantedTest seed " + seed);
        for (int i = 0; i < 500; i++) {
            world(seed + i, 2000, i % 3 == 0 ? FEW : LIMITS);
        }
    }

    /** From the moment in which a program hears that what it wants is in force, nothing is missed, whatever else changes at that moment. */
    @Test
    void nothingIsMissedFromTheMomentInWhichItIsInForce() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("EventsGoWhereTheyAreWantedTest seed " + seed);
        for (int i = 0; i < 300; i++) {
            Random random = new Random(seed + i);
            TreeWorld world = new TreeWorld(seed + i, 2 + random.nextInt(7), random.nextBoolean() ? FEW : LIMITS);
            for (int p = 0; p < 6; p++) {
                world.program(random.nextInt(world.nodes.size()));
            }
            Program watched = world.programs.get(0);
            for (int n = 0; n < 10; n++) {
                Filter filter = filter(random);
                int number = watched.wants(filter);
                while (!watched.ready.contains(number)) {
                    Program other = world.programs.get(1 + random.nextInt(5));
                    if (random.nextInt(3) == 0) {
                        other.wants(filter(random));
                    } else if (random.nextInt(3) == 0) {
                        other.wants.keySet().stream().findFirst().ifPresent(other::wantsNoMore);
                    }
                    world.step();
                }
                for (int e = 0; e < 5; e++) {
                    Happening happening = Happening.of(n * 100L + e, random);
                    world.programs.get(1 + random.nextInt(5)).publishes(happening.frame());
                    if (happening.matches(filter)) {
                        world.settle();
                        assertThat(watched.got).as("seed %d: %s for %s", seed + i, happening, filter).containsEntry(happening.id(), 1);
                    }
                }
            }
        }
    }
}
