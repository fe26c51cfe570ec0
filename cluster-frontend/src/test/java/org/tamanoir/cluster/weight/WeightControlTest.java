package org.tamanoir.cluster.weight;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.State;

/** The law, what counts, and who agrees. */
@Tag("seeded")
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
        assertThat(Pressure.of(new Load(5, 50, 0, 1000, 0.25))).isBetween(0.5, 0.52);
        assertThat(Pressure.of(new Load(5, 0, 400, 1000, 0.25))).isEqualTo(0.4 + 0.2);
        assertThat(Pressure.of(new Load(5, 2_000, 0, 1000, 1))).isEqualTo(1.25);
        assertThat(Pressure.of(new Load(5, 0, 9_000, 1000, 1))).as("as much as there is").isEqualTo(Pressure.MOST);
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

    /** Five reports after a step the weight is no more than one step of its own from what it comes to, whichever report it is that the load changes with. */
    @Test
    void aStepIsFollowedWithinFiveReports() {
        for (int begin = 65; begin <= 73; begin++) {
            assertThat(afterFive(begin, 0.2, 0.9)).as("of 38 to 12").isBetween(12, 14);
            assertThat(afterFive(begin, 0.9, 0.2)).as("of 12 to 38").isBetween(33, 38);
        }
    }

    private static int afterFive(int begin, double before, double after) {
        WeightControl control = new WeightControl(Duration.ofSeconds(3));
        for (int number = 1; number < begin + 5; number++) {
            control.report(report("b0", number, number < begin ? before : after), number * SECOND);
        }
        return control.weights(List.of("b0"), (begin + 5) * SECOND).get("b0");
    }

    /** Noise of a fifth, about a load that lies between two steps: the weight is one of them, and seldom the other one. */
    @Test
    void noiseIsNotFollowed() {
        Random random = new Random(11);
        int changes = 0;
        int last = 0;
        for (int second = 1; second <= 3_600; second++) {
            control.report(report("b0", second, 0.0722 * (0.8 + 0.4 * random.nextDouble())), second * SECOND);
            int weight = control.weights(List.of("b0"), second * SECOND).get("b0");
            changes += second > 60 && weight != last ? 1 : 0;
            last = weight;
            assertThat(second <= 60 ? 57 : weight).isIn(57, 66);
        }
        assertThat(changes).as("in an hour").isLessThan(60);
    }

    /** One that was started later, and has missed some at first: four minutes on, both always weigh the same. */
    @Test
    void controllersThatHearTheSameAgree() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            WeightControl one = new WeightControl(Duration.ofSeconds(3));
            WeightControl other = new WeightControl(Duration.ofSeconds(3));
            int late = 1 + random.nextInt(200);
            double before = random.nextDouble();
            double after = 0.05 + 0.75 * random.nextDouble();
            for (int second = 1; second <= late + 560; second++) {
                double load = (second <= late + 20 ? before : after) * (0.85 + 0.3 * random.nextDouble());
                Report report = report("b0", second, Math.min(1, load));
                one.report(report, second * SECOND);
                if (second > late && (second > late + 200 || random.nextInt(10) > 0)) {
                    other.report(report, second * SECOND + SECOND / 3);
                }
                if (second > late + 440) {
                    assertThat(other.weights(NAMES, second * SECOND)).as("seed " + seed).isEqualTo(one.weights(NAMES, second * SECOND));
                }
            }
        }
    }
}
