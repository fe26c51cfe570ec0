package org.tamanoir.cluster.weight;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.cluster.weight.Cluster.Controller;
import org.tamanoir.cluster.weight.Cluster.Lives;

/**
 * Streams, back ends, the schedulers of IPVS and the controller, with a virtual clock: weights follow the load within 5 s and do not swing, whatever the
 * lives of streams, the powers of back ends, and the delay and noise of reports.
 */
@Tag("seeded")
class WeightsFollowTheLoadTest {
    /** A weight that goes up by half and down by half has swung: three steps, far beyond what noise moves. */
    private static final double SWING = 1.5;
    /** Once in five minutes is the load itself, which wanders; there and back again is a swing. */
    private static final int SWINGS = 1;
    /** Weights that are set anew for nothing, a minute and back end. */
    private static final double CHANGES_A_MINUTE = 2.5;

    private static final double[] EQUAL = {400, 400, 400};
    private static final double[] UNEQUAL = {200, 400, 800};

    private record Lived(String name, double mean, Lives lives) {
        /** Streams that live for a moment come so often that a quarter of them shows the same. */
        double[] scaled(double... power) {
            return mean >= 1 ? power : Arrays.stream(power).map(each -> each / 4).toArray();
        }

        int seconds() {
            return mean >= 1 ? 300 : 120;
        }

        static Lived exponential(double mean) {
            return new Lived(mean + " s", mean, Cluster.exponential(mean));
        }
    }

    /** What happened in one cluster: {@code swings}, {@code changes} a minute, of the server with most of them. */
    private record Seen(int swings, double changes) {
    }

    private static Seen run(Supplier<Schedulers> scheduler, Lived lived, double[] power, double load, double delay, double noise, Controller controller,
            long seed) {
        Cluster cluster = new Cluster(seed, scheduler.get(), controller, load, lived.mean, lived.lives, delay, noise, lived.scaled(power));
        int settled = (int) Math.min(1_800, 60 + 3 * lived.mean);
        cluster.run(settled + lived.seconds());
        Seen seen = new Seen(0, 0);
        for (int server = 0; server < power.length; server++) {
            seen = new Seen(Math.max(seen.swings, Swings.count(cluster.weightRows, server, settled, SWING)),
                    Math.max(seen.changes, 60.0 * Swings.changes(cluster.weightRows, server, settled) / lived.seconds()));
        }
        return seen;
    }

    /** What swings or is restless, of all lives, powers and schedulers. */
    private static List<String> wrong(long seed, double load, double delay, double noise) {
        List<String> wrong = new ArrayList<>();
        List<Lived> lives = List.of(Lived.exponential(0.1), Lived.exponential(1), Lived.exponential(10), Lived.exponential(60), Lived.exponential(600),
                new Lived("all kinds", 69, Cluster.allKinds()));
        for (Lived lived : lives) {
            for (double[] power : new double[][] {EQUAL, UNEQUAL}) {
                for (boolean wlc : new boolean[] {true, false}) {
                    Seen seen = run(wlc ? Schedulers::wlc : Schedulers::wrr, lived, power, load, delay, noise, Cluster.real(3), seed);
                    if (seen.swings > SWINGS || seen.changes > CHANGES_A_MINUTE) {
                        wrong.add((wlc ? "wlc" : "wrr") + ", life " + lived.name + ", powers " + Arrays.toString(power) + ", load " + load + ", seed " + seed
                                + ": " + seen);
                    }
                }
            }
        }
        return wrong;
    }

    @Test
    @Tag("long")
    void weightsDoNotSwingWhateverTheLivesOfStreams() {
        assertThat(wrong(2, 0.3, 2, 0.2)).isEmpty();
        assertThat(wrong(3, 0.7, 2, 0.2)).isEmpty();
    }

    @Test
    @Tag("sweep")
    void weightsDoNotSwingWithManySeeds() {
        for (long seed = 100; seed < 110; seed++) {
            for (double load : new double[] {0.1, 0.5, 0.7, 0.85}) {
                assertThat(wrong(seed, load, seed % 4, 0.2)).isEmpty();
            }
        }
    }

    static Stream<Arguments> mutants() {
        return Stream.of(
                Arguments.of("the free part, wlc, short lives", (Supplier<Controller>) Mutants::undamped, (Supplier<Schedulers>) Schedulers::wlc, 0.1),
                Arguments.of("the free part, wrr, short lives", (Supplier<Controller>) Mutants::undamped, (Supplier<Schedulers>) Schedulers::wrr, 0.1),
                Arguments.of("steep, wlc, lives of a second", (Supplier<Controller>) Mutants::steep, (Supplier<Schedulers>) Schedulers::wlc, 1.0),
                Arguments.of("integrating, wrr, long lives", (Supplier<Controller>) Mutants::integrating, (Supplier<Schedulers>) Schedulers::wrr, 60.0));
    }

    /** What the test above is worth: it finds those that do swing. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void aControllerThatIsNotDampedIsSeenToSwing(String name, Supplier<Controller> controller, Supplier<Schedulers> scheduler, double life) {
        Seen seen = run(scheduler, Lived.exponential(life), UNEQUAL, 0.7, 2, 0, controller.get(), 1);

        assertThat(seen.swings).as(seen.toString()).isGreaterThan(5);
    }

    static Stream<Arguments> steps() {
        return Stream.of(0.1, 1.0, 600.0).flatMap(life -> Stream.of(Arguments.of(life, true), Arguments.of(life, false)));
    }

    /** Something else takes half of a back end's power: 5 s later its weight has done nearly all that it will do, and again when that ends. */
    @ParameterizedTest
    @MethodSource("steps")
    void aChangeOfLoadIsFollowedWithin5Seconds(double life, boolean wlc) {
        Cluster cluster = new Cluster(3, wlc ? Schedulers.wlc() : Schedulers.wrr(), Cluster.real(3), 0.3, life, Cluster.exponential(life), 0, 0.1, EQUAL);
        cluster.run(60);
        double before = mean(cluster, 0, 40, 60);
        cluster.background(0, 0.5);
        cluster.run(40);
        double after = mean(cluster, 0, 80, 100);
        assertThat(after).isLessThan(before * 0.7);
        assertThat(Math.abs(Math.log(cluster.weightRows.get(60 + 5)[0] / after))).as("of " + before + " to " + after + " after 5 s").isLessThan(0.16);

        cluster.background(0, 0);
        cluster.run(40);
        double again = mean(cluster, 0, 120, 140);
        assertThat(again).isBetween(before * 0.8, before * 1.25);
        assertThat(Math.abs(Math.log(cluster.weightRows.get(100 + 5)[0] / again))).as("of " + after + " to " + again + " after 5 s").isLessThan(0.16);
    }

    /** Power 1, 2 and 4. With equal weights the weak one has 1.6 times what it can do, and the strong one 0.4 times. */
    @Test
    void aWeakBackEndIsNotGivenMoreThanItCanDo() {
        for (boolean wlc : new boolean[] {true, false}) {
            Cluster cluster = new Cluster(5, wlc ? Schedulers.wlc() : Schedulers.wrr(), Cluster.real(3), 0.7, 10, Cluster.exponential(10), 1, 0.1, UNEQUAL);
            cluster.run(300);
            double weak = cluster.loadRows.subList(200, 300).stream().mapToDouble(loads -> loads[0]).average().orElseThrow();
            double strong = cluster.loadRows.subList(200, 300).stream().mapToDouble(loads -> loads[2]).average().orElseThrow();

            assertThat(weak).isLessThan(1.1);
            assertThat(weak / strong).as("with equal weights it would be 4").isLessThan(2.2);
        }
    }

    private static double mean(Cluster cluster, int server, int from, int to) {
        return cluster.weightRows.subList(from, to).stream().mapToInt(row -> row[server]).average().orElseThrow();
    }
}
