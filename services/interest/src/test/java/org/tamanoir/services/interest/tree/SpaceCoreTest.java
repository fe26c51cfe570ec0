package org.tamanoir.services.interest.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.FilterText;
import org.tamanoir.services.interest.filter.Region;
import org.tamanoir.services.interest.filter.TopicPattern;
import org.tamanoir.services.interest.tree.TreeWorld.Program;
import org.tamanoir.interest.wire.EventView;

/** One node, and two: bounds, merging, and events that are left out. */
class SpaceCoreTest {
    private static final Limits LIMITS = new Limits(1000, 1500, 3, 100, 20, 1 << 20);
    private static final long MILLI = 1_000_000;

    private static ByteBuf event(String topic, String text) {
        return EventView.frame(topic, EventView.JSON, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Filter filter(String text) {
        return FilterText.read(text);
    }

    @Test
    void nobodyGetsHisOwnEventsOrOneTwice() {
        TreeWorld world = new TreeWorld(1, 1, LIMITS);
        Program one = world.program(0);
        Program other = world.program(0);
        one.wants(Filter.of("#"));
        other.wants(Filter.of("a"));
        other.wants(Filter.of("a/#"));
        one.publishes(event("a", "1"));
        assertThat(one.texts).isEmpty();
        assertThat(other.texts).containsExactly("1");
    }

    @Test
    void aMillionSubscriptionsEndAtABoundThatIsSomebodysOwn() {
        TreeWorld world = new TreeWorld(1, 2, LIMITS);
        Program greedy = world.program(1);
        for (int i = 0; i < 1000; i++) {
            greedy.wants(Filter.of("t/" + i));
        }
        assertThatThrownBy(() -> greedy.wants(Filter.of("one more"))).isInstanceOf(AnepException.class).hasMessageContaining("EE-309");
        Program second = world.program(1);
        for (int i = 0; i < 500; i++) {
            second.wants(Filter.of("t/" + i));
        }
        assertThatThrownBy(() -> second.wants(Filter.of("one more"))).isInstanceOf(AnepException.class).hasMessageContaining("EE-309").hasMessageContaining("all programs");
        world.settle();
        assertThat(world.nodes.get(1).up.neighbour.said()).as("a node is told no more than the bound").isBetween(1, 100);
        greedy.wantsNoMore(1);
        second.wants(Filter.of("now there is room"));
    }

    @Test
    void predicatesAreBoundedInNumberAndInTime() {
        TreeWorld world = new TreeWorld(1, 1, LIMITS);
        Program program = world.program(0);
        for (int i = 0; i < 3; i++) {
            program.wants(filter("{\"topic\":\"a\",\"where\":\"data.v > " + i + "\"}"));
        }
        assertThatThrownBy(() -> program.wants(filter("{\"topic\":\"a\",\"where\":\"data.v > 3\"}"))).hasMessageContaining("EE-309");
        // A clock on which a predicate takes 1 ms: a fifth of a second is spent after 200 events.
        long[] clock = {1};
        SpaceCore core = new SpaceCore(LIMITS, true, TreeWorld.EXPRESSIONS::compile, () -> clock[0] += MILLI, () -> 0);
        List<AnepException> refused = new ArrayList<>();
        List<String> got = new ArrayList<>();
        Neighbour costly = core.join(Neighbour.Kind.PROGRAM, new Recorder(got, refused));
        Neighbour other = core.join(Neighbour.Kind.PROGRAM, new Recorder(new ArrayList<>(), refused));
        core.subscribe(costly, 1, filter("{\"topic\":\"a\",\"where\":\"data.v > 1\"}"));
        int events = 0;
        while (refused.isEmpty() && events < 1000) {
            ByteBuf frame = event("a", "{\"v\":2}");
            core.event(1, other, new EventView().wrap(frame, 4, frame.writerIndex()));
            events++;
        }
        assertThat(refused).hasSize(1).first().satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_LIMIT));
        // Of each 2 ms one is a predicate, and a fifth of them comes back.
        assertThat(events).isBetween(200, 400);
    }

    /** A program is refused where there is no room for its filters; a link gets more than it wants. */
    @Test
    void filtersAreBoundedInOctets() {
        SpaceCore core = new SpaceCore(new Limits(1000, 1000, 1000, 100, 100, 100_000), true, TreeWorld.EXPRESSIONS::compile, () -> 1, () -> 0);
        List<String> got = new ArrayList<>();
        Neighbour node = core.join(Neighbour.Kind.BELOW, new Recorder(got, new ArrayList<>()));
        Neighbour program = core.join(Neighbour.Kind.PROGRAM, new Recorder(new ArrayList<>(), new ArrayList<>()));
        assertThatThrownBy(() -> {
            for (int i = 0; i < 10; i++) {
                core.subscribe(program, i, filter("{\"topic\":\"a\",\"where\":\"data.v > " + i + "\"}"));
            }
        }).hasMessageContaining("EE-309").hasMessageContaining("100000 octets");
        assertThat(program.filters()).isBetween(4, 7);
        core.subscribe(program, 100, filter("{\"topic\":\"b\",\"where\":\"data.v > 1\"}"));
        core.subscribe(node, 1, filter("{\"topic\":\"a\",\"where\":\"data.v > 77\",\"every\":50}"));
        for (int i = 0; i < 3; i++) {
            ByteBuf frame = event("a", "{\"v\":1}");
            core.event(1, program, new EventView().wrap(frame, 4, frame.writerIndex()));
        }
        assertThat(got).as("without predicate, and so without leaving out").hasSize(3);
        core.leave(program);
        core.subscribe(core.join(Neighbour.Kind.PROGRAM, new Recorder(got, new ArrayList<>())), 1, filter("{\"topic\":\"a\",\"where\":\"data.v > 5\"}"));
    }

    /** A program that has others work by what it changes, again and again, is ended; a link that does is not. */
    @Test
    void changesAreBoundedInTime() {
        long[] worked = {1};
        SpaceCore core = new SpaceCore(LIMITS, true, TreeWorld.EXPRESSIONS::compile, () -> 1, () -> worked[0] += MILLI);
        List<AnepException> refused = new ArrayList<>();
        Neighbour node = core.join(Neighbour.Kind.BELOW, new Recorder(new ArrayList<>(), refused));
        Neighbour program = core.join(Neighbour.Kind.PROGRAM, new Recorder(new ArrayList<>(), refused));
        int changes = 0;
        for (; refused.isEmpty() && changes < 1000; changes++) {
            core.subscribe(program, changes, Filter.of("#"));
            core.unsubscribe(program, changes);
            core.subscribe(node, changes, Filter.of("#"));
            core.unsubscribe(node, changes);
            core.turn();
        }
        assertThat(refused).isNotEmpty().allSatisfy(e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_LIMIT));
        // Two milliseconds each time, of a fifth of a second.
        assertThat(changes).isBetween(90, 110);
    }

    /** What a node wants costs too; it is not ended, for its programs have nothing to do with it, and gets more than it wants. */
    @Test
    void aNodeWhosePredicatesCostTooMuchGetsWhatItDoesNotWantToo() {
        long[] clock = {1};
        SpaceCore core = new SpaceCore(LIMITS, true, TreeWorld.EXPRESSIONS::compile, () -> clock[0] += MILLI, () -> 0);
        List<AnepException> refused = new ArrayList<>();
        List<String> got = new ArrayList<>();
        Neighbour node = core.join(Neighbour.Kind.BELOW, new Recorder(got, refused));
        Neighbour other = core.join(Neighbour.Kind.PROGRAM, new Recorder(new ArrayList<>(), refused));
        core.subscribe(node, 1, filter("{\"topic\":\"a\",\"where\":\"data.v > 1\"}"));
        for (int i = 0; i < 1000; i++) {
            ByteBuf frame = event("a", "{\"v\":1}");
            core.event(1, other, new EventView().wrap(frame, 4, frame.writerIndex()));
        }
        assertThat(refused).isEmpty();
        assertThat(got).isNotEmpty();
    }

    @Test
    @Tag("seeded")
    void tooManyFiltersAreMergedAndNothingIsMissed() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("SpaceCoreTest seed " + seed);
        Random random = new Random(seed);
        TreeWorld world = new TreeWorld(seed, 2, LIMITS);
        Program publisher = world.program(0);
        Program subscriber = world.program(1);
        for (int i = 0; i < 900; i++) {
            double x = random.nextDouble() * 100;
            double y = random.nextDouble() * 100;
            subscriber.wants(new Filter(TopicPattern.of("m/" + i % 5 + "/#"), null, Region.box(x, y, x + 1, y + 1), 0));
        }
        world.settle();
        assertThat(world.nodes.get(1).up.neighbour.said()).isBetween(20, 100);
        int wanted = 0;
        for (int i = 0; i < 2000; i++) {
            double[] at = {random.nextDouble() * 100, random.nextDouble() * 100};
            String topic = "m/" + random.nextInt(6);
            ByteBuf frame = EventView.frame(topic, EventView.JSON, at, ("{\"id\":" + i + "}").getBytes(StandardCharsets.UTF_8));
            boolean wants = subscriber.wants.values().stream().anyMatch(each -> each.topic().matches(topic) && each.region().contains(at[0], at[1]));
            wanted += wants ? 1 : 0;
            publisher.publishes(frame);
            world.settle();
            assertThat(subscriber.got.remove((long) i)).as("seed %d", seed).isEqualTo(wants ? 1 : null);
        }
        assertThat(world.eventsOnLinks).as("merged, and not everything").isBetween((long) wanted, 1700L);
        for (int number = 1; number < 880; number++) {
            subscriber.wantsNoMore(number);
        }
        world.settle();
        assertThat(world.nodes.get(1).up.neighbour.said()).as("what is left is said as it is").isEqualTo(21);
    }

    @Test
    void whatCoversIsSaidInPlaceOfWhatItCovers() {
        TreeWorld world = new TreeWorld(1, 2, LIMITS);
        Program program = world.program(1);
        Neighbour up = world.nodes.get(1).up.neighbour;
        program.wants(Filter.of("a/b"));
        program.wants(Filter.of("a/c/#"));
        assertThat(up.said()).isEqualTo(2);
        int all = program.wants(Filter.of("a/#"));
        assertThat(up.said()).isEqualTo(1);
        program.wants(Filter.of("a/d"));
        assertThat(up.said()).isEqualTo(1);
        program.wantsNoMore(all);
        assertThat(up.said()).isEqualTo(3);
    }

    @Test
    void theLatestOfEachTopicGoesOnceATime() {
        TreeWorld world = new TreeWorld(1, 1, LIMITS);
        Program publisher = world.program(0);
        Program subscriber = world.program(0);
        SpaceCore core = world.nodes.get(0).core;
        int number = subscriber.wants(filter("{\"topic\":\"#\",\"every\":100}"));
        for (int i = 0; i < 10; i++) {
            publisher.publishes(event("a", "a" + i));
            publisher.publishes(event("b", "b" + i));
        }
        assertThat(subscriber.texts).as("the first of each goes at once").containsExactly("a0", "b0");
        assertThat(core.tick(world.now + 99 * MILLI)).isEqualTo(world.now + 100 * MILLI);
        assertThat(subscriber.texts).hasSize(2);
        core.tick(world.now + 100 * MILLI);
        assertThat(subscriber.texts).containsExactly("a0", "b0", "a9", "b9");
        world.now += 150 * MILLI;
        publisher.publishes(event("a", "a10"));
        assertThat(subscriber.texts).as("50 ms after the one before").hasSize(4);
        core.tick(world.now + 50 * MILLI);
        assertThat(subscriber.texts).last().isEqualTo("a10");
        assertThat(core.tick(world.now + 1000 * MILLI)).as("topics of which nothing comes are forgotten").isEqualTo(Long.MAX_VALUE);
        world.now += 1000 * MILLI;
        publisher.publishes(event("a", "a11"));
        publisher.publishes(event("a", "a12"));
        assertThat(subscriber.texts).last().isEqualTo("a11");
        subscriber.wantsNoMore(number);
        assertThat(core.due()).as("nothing waits for somebody who wants nothing").isEqualTo(Long.MAX_VALUE);
    }

    /** Wanted twice, once as it comes and once less often: each event once, and nothing old behind it. */
    @Test
    void whoWantsEachEventIsNotGivenItAgain() {
        TreeWorld world = new TreeWorld(1, 1, LIMITS);
        Program publisher = world.program(0);
        Program subscriber = world.program(0);
        subscriber.wants(filter("{\"topic\":\"#\",\"every\":100}"));
        publisher.publishes(event("a", "1"));
        publisher.publishes(event("a", "2"));
        subscriber.wants(Filter.of("a"));
        publisher.publishes(event("a", "3"));
        world.nodes.get(0).core.tick(world.now + 1000 * MILLI);
        assertThat(subscriber.texts).containsExactly("1", "3");
    }

    @Test
    void twoFiltersHaveTwoNumbers() {
        TreeWorld world = new TreeWorld(1, 1, LIMITS);
        Program program = world.program(0);
        program.wants(Filter.of("a"));
        assertThatThrownBy(() -> program.at.core.subscribe(program.neighbour, 1, Filter.of("b"))).hasMessageContaining("EE-109");
        program.at.core.unsubscribe(program.neighbour, 77);
        program.at.core.ready(program.neighbour, 77);
    }

    /** Nothing is in force while there is no way to the root. */
    @Test
    void itIsInForceWhenTheRootKnows() {
        TreeWorld world = new TreeWorld(1, 2, LIMITS);
        Program program = world.program(1);
        world.nodes.get(1).cut();
        int number = program.wants(Filter.of("a"));
        world.settle();
        assertThat(program.ready).isEmpty();
        world.nodes.get(1).connect();
        assertThat(program.ready).isEmpty();
        world.settle();
        assertThat(program.ready).containsExactly(number);
        int second = program.wants(Filter.of("a"));
        assertThat(program.ready).as("what is known already is in force at once").contains(second);
    }

    private record Recorder(List<String> got, List<AnepException> refused) implements Sink {
        @Override
        public void subscribe(int number, Filter filter) {
            // Nobody looks.
        }

        @Override
        public void unsubscribe(int number) {
            // Nobody looks.
        }

        @Override
        public void ready(int number) {
            // Nobody looks.
        }

        @Override
        public void event(ByteBuf in, int index, int length) {
            got.add(in.toString(index, length, StandardCharsets.UTF_8));
        }

        @Override
        public void refuse(AnepException why) {
            refused.add(why);
        }
    }
}
