package org.tamanoir.cluster.weight;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.State;

class WeightControlTest {
    private static final long SECOND = 1_000_000_000L;
    private static final List<String> NAMES = List.of("b0", "b1", "b2");

    private final WeightControl control = new WeightControl(Duration.ofSeconds(3));

    private static Report report(String name, String instance, long sequence, Load load) {
        return new Report(name, instance, sequence, "10.0.0.1", 3322, 3381, "default", State.SERVING, List.of(), load);
    }

    private static Report report(String name, long sequence, double cpu) {
        return report(name, "0123456789abcdef", sequence, new Load(1, 0, 0, 1000, cpu));
    }

    @Test
    void theLawIsWhatItsDescriptionSays() {
        control.report(report("b0", 1, 0), 0);
        control.report(report("b1", 1, 0.5), 0);
        control.report(report("b2", 1, 1), 0);

        assertThat(control.weights(NAMES, 0)).isEqualTo(Map.of("b0", 100, "b1", 19, "b2", 12));
    }

    @Test
    void theBusiestOfWhatABackEndHasCounts() {
        assertThat(Pressure.of(new Load(5, 0, 0, 1000, 0.25))).isEqualTo(0.25);
        assertThat(Pressure.of(new Load(5, 50, 0, 1000, 0.25))).isEqualTo(0.5);
        assertThat(Pressure.of(new Load(5, 50, 750, 1000, 0.25))).isEqualTo(0.75);
        assertThat(Pressure.of(new Load(5, 3_600_000, 9_000, 1000, 0.25))).isEqualTo(1);
    }

    @Test
    void whoHasNotReportedForAWhileWeighsAsTheMean() {
        assertThat(control.weights(NAMES, 0)).isEqualTo(Map.of("b0", 100, "b1", 100, "b2", 100));
        control.report(report("b0", 1, 0), 0);
        control.report(report("b1", 1, 1), 2 * SECOND);
        control.report(report("b2", 1, 0.5), 2 * SECOND);

        assertThat(control.weights(NAMES, 4 * SECOND)).isEqualTo(Map.of("b0", 16, "b1", 12, "b2", 19));
        assertThat(control.pressure("b0", 4 * SECOND)).isNaN();
    }

    @Test
    void aRestartBeginsAnewAndAnOlderReportIsOfNoInterest() {
        control.report(report("b0", 9, 1), 0);
        control.report(report("b0", 8, 0), 0);
        assertThat(control.weights(List.of("b0"), 0)).isEqualTo(Map.of("b0", 12));
        control.report(report("b0", "00000000000000ff", 1, new Load(0, 0, 0, 1000, 0)), SECOND);
        assertThat(control.weights(List.of("b0"), SECOND)).isEqualTo(Map.of("b0", 100));
        control.retain(List.of());
        assertThat(control.pressure("b0", SECOND)).isNaN();
    }

    /** Noise of a fifth in the reports moves no weight by more than a step, and seldom. */
    @Test
    void noiseIsNotFollowed() {
        Random random = new Random(11);
        int changes = 0;
        int last = 0;
        for (int second = 1; second <= 3_600; second++) {
            control.report(report("b0", second, 0.5 * (0.8 + 0.4 * random.nextDouble())), second * SECOND);
            int weight = control.weights(List.of("b0"), second * SECOND).get("b0");
            changes += second > 60 && weight != last ? 1 : 0;
            last = weight;
            assertThat(second <= 60 ? 19 : weight).isBetween(16, 22);
        }
        assertThat(changes).isLessThan(120);
    }

    /** One that was started later, and one that has missed some: after four minutes they weigh the same. */
    @Property(tries = 60)
    void controllersThatHearTheSameAgree(@ForAll @LongRange(min = 0, max = 1L << 40) long seed, @ForAll @IntRange(min = 1, max = 200) int late,
            @ForAll @DoubleRange(min = 0, max = 1) double before, @ForAll @DoubleRange(min = 0.05, max = 0.8) double after) {
        Random random = new Random(seed);
        WeightControl other = new WeightControl(Duration.ofSeconds(3));
        int differ = 0;
        for (int second = 1; second <= late + 480; second++) {
            double load = (second <= late + 20 ? before : after) * (0.85 + 0.3 * random.nextDouble());
            Report report = report("b0", second, Math.min(1, load));
            control.report(report, second * SECOND);
            if (second > late && (second > late + 200 || random.nextInt(10) > 0)) {
                other.report(report, second * SECOND + SECOND / 3);
            }
            differ += second > late + 440 && !control.weights(List.of("b0"), second * SECOND).equals(other.weights(List.of("b0"), second * SECOND)) ? 1 : 0;
        }
        assertThat(differ).isZero();
    }
}
