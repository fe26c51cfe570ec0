package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The control drives a model of a heavy service: a codec, 1 MB of room on both sides of it, a source and a link of some speed. */
@Tag("seeded")
class LevelControlTest {
    private static final int HIGHEST = 7;
    private static final int FIRST = 4;
    private static final double ROOM = 1 << 20;
    private static final int BLOCK = 32 * 1024;
    /** Megaoctets a second in, and octets in for each out, by step: zstd of the JDK's modules. */
    private static final double[] SPEED = {3_000, 700, 500, 330, 210, 120, 75, 40};
    private static final double[] RATIO = {1, 1.7, 1.9, 2.5, 2.78, 2.9, 3.0, 3.05};

    /** Runs for some virtual seconds; the first quarter is not counted. */
    private static final class Model {
        private final Random random;
        private final LevelControl control = new LevelControl(HIGHEST, LevelControl.Known.nothing(FIRST));
        private final boolean shared;
        private final double source;
        private final double link;
        private double seconds;
        private double input;
        private double output;
        private boolean suspended;
        private int changes;

        Model(long seed, double source, double link) {
            this(seed, source, link, false);
        }

        /** @param shared whether the link stands still while the codec works, as on a single processor */
        Model(long seed, double source, double link, boolean shared) {
            this.shared = shared;
            this.random = new Random(seed);
            this.source = source * 1e6;
            this.link = link * 1e6;
        }

        /** Megaoctets a second of the source that went through. */
        double run(double virtualSeconds) {
            double from = seconds + virtualSeconds / 4;
            double end = seconds + virtualSeconds;
            double done = 0;
            while (seconds < end) {
                if (suspended) {
                    pass(output / link);
                    suspended = false;
                } else if (input < BLOCK) {
                    pass(BLOCK / source);
                } else {
                    done += seconds >= from ? BLOCK : 0;
                    block();
                }
            }
            return done / (0.75 * virtualSeconds) / 1e6;
        }

        private void block() {
            int step = control.step();
            control.look((long) (seconds * 1e9), BLOCK, input / ROOM, output / ROOM);
            changes += step == control.step() ? 0 : 1;
            step = control.step();
            double time = BLOCK / (SPEED[step] * 1e6) * (0.8 + 0.4 * random.nextDouble());
            control.worked(step == 0 ? 0 : (long) (time * 1e9));
            input -= BLOCK;
            pass(time, shared ? 0 : time);
            output += BLOCK / RATIO[step];
            suspended = output >= ROOM;
        }

        private void pass(double time) {
            pass(time, time);
        }

        private void pass(double time, double ofLink) {
            seconds += time;
            input = Math.min(ROOM, input + time * source);
            output = Math.max(0, output - ofLink * link);
        }
    }

    private static double fixed(int step, double source, double link) {
        return Math.min(source, Math.min(SPEED[step], link * RATIO[step]));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 5, 12, 30, 60, 120, 250, 500, 1_000, 2_000, 5_000})
    @Tag("long")
    void itIsNeverSlowerThanNoCompressionNorFarFromTheBestLevel(double link) {
        for (double source : new double[] {20, 200, 10_000}) {
            for (long seed = 0; seed < 5; seed++) {
                double rate = new Model(seed, source, link).run(40);
                double best = 0;
                for (int step = 0; step <= HIGHEST; step++) {
                    best = Math.max(best, fixed(step, source, link));
                }
                String where = "source " + source + ", link " + link + ", seed " + seed;
                assertThat(rate).as(where).isGreaterThan(0.95 * fixed(0, source, link)).isGreaterThan(0.7 * best);
            }
        }
    }

    @Test
    void aSlowLinkGetsTheHighestLevelAndAFastOneNone() {
        Model slow = new Model(1, 10_000, 2);
        slow.run(60);
        assertThat(slow.control.step()).isEqualTo(HIGHEST);
        Model fast = new Model(1, 10_000, 5_000);
        fast.run(5);
        assertThat(fast.control.step()).isZero();
    }

    @Test
    void aFastLinkIsMetWithinAFewTenthsOfASecond() {
        Model fast = new Model(1, 10_000, 5_000);
        fast.run(2 * FIRST * LevelControl.AT_ONCE * LevelControl.PERIOD / 1e9);
        assertThat(fast.control.step()).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {200, 1_000, 2_000, 5_000})
    void itIsNotMuchSlowerThanNoCompressionWhereTheCodecTakesTheLinksProcessor(double link) {
        for (long seed = 0; seed < 5; seed++) {
            double rate = new Model(seed, 10_000, link, true).run(40);
            assertThat(rate).as("link %s, seed %s", link, seed).isGreaterThan(0.95 / (1 / SPEED[0] + 1 / link));
        }
    }

    @Test
    void theNextStreamOfALinkBeginsWhereTheLastOneWas() {
        Model fast = new Model(1, 10_000, 5_000);
        fast.run(5);
        assertThat(new LevelControl(HIGHEST, fast.control.known()).step()).isZero();
    }

    @Test
    void itDoesNotSwingBetweenTwoLevels() {
        Model model = new Model(3, 10_000, 90);
        model.run(20);
        int before = model.changes;
        model.run(60);
        assertThat(model.changes - before).isLessThan(120);
    }

    @Test
    void aSlowSourceChangesNothing() {
        Model idle = new Model(1, 5, 5_000);
        idle.run(10);
        assertThat(idle.control.step()).isEqualTo(FIRST);
    }
}
