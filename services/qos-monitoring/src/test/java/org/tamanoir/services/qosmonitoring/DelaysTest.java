package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosmonitoring.Trains.MILLI;
import static org.tamanoir.services.qosmonitoring.Trains.ahead;
import static org.tamanoir.services.qosmonitoring.Trains.answer;
import static org.tamanoir.services.qosmonitoring.Trains.answers;
import static org.tamanoir.services.qosmonitoring.Trains.received;
import static org.tamanoir.services.qosmonitoring.Trains.train;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;

/** Delays by hand, with clocks that are wrong and reflectors that lie. */
class DelaysTest {
    private static final double LOST = Double.NaN;

    private static Delays of(List<Answer> answers) {
        return Delays.of(train(10), List.of(received(10, answers)));
    }

    private static List<Answer> each(List<Answer> answers, UnaryOperator<Answer> change) {
        return answers.stream().map(change).toList();
    }

    private static UnaryOperator<Answer> clock(boolean synchronised, long error) {
        return a -> new Answer(a.number(), a.sentNanos(), a.arrivedNanos(), a.backNanos(), a.hereNanos(), synchronised, error, a.arrivedDscp(),
                a.arrivedTtl());
    }

    @Test
    void delaysAreThoseOfTheDefinitions() {
        Delays delays = of(answers(2, 4, 3, LOST, 7, 7.5, 2));
        // Round trips are 1 ms more; the time in the reflector does not count.
        assertThat(delays.rttMs()).isCloseTo((2 + 4 + 3 + 7 + 7.5 + 2) / 6 + 1, within(1e-9));
        assertThat(delays.rttMinMs()).isEqualTo(3);
        assertThat(delays.rttP95Ms()).isEqualTo(8.5);
        assertThat(delays.oneWayMs()).isCloseTo(25.5 / 6, within(1e-9));
        assertThat(delays.errorMs()).isEqualTo(0.05);
        // Pairs: 2-4, 4-3, 7-7.5, 7.5-2. None across the probe that was lost.
        assertThat(delays.jitterMs()).isCloseTo((2 + 1 + 0.5 + 5.5) / 4, within(1e-9));
        assertThat(delays.dscpKept()).isTrue();
    }

    @Test
    void the95thOf100IsNotTheWorst() {
        List<ReceivedTrain> trains = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            trains.add(received(10, answers(1, 1, 1, 1, 1, 1, 1, 1, i == 0 ? 50 : 1, i < 4 ? 20 : 1)));
        }
        Delays delays = Delays.of(train(10), trains);
        assertThat(delays.rttP95Ms()).as("five are larger").isEqualTo(2);
    }

    @Test
    void anOffsetOfTheClockChangesNeitherRoundTripNorJitter() {
        List<Answer> truth = answers(2, 4, 3, 7);
        Delays offset = of(each(truth, a -> ahead(a, -3_600_000 * MILLI)));
        assertThat(offset.rttMs()).isEqualTo(of(truth).rttMs());
        assertThat(offset.jitterMs()).isEqualTo(of(truth).jitterMs());
        assertThat(offset.oneWayMs()).as("below nothing, whatever the clocks say of their error").isNaN();
        assertThat(offset.errorMs()).isNaN();
        assertThat(of(each(truth, a -> ahead(a, 1_000 * MILLI))).oneWayMs()).as("longer than there and back").isNaN();
        assertThat(of(each(truth, a -> ahead(a, -40_000))).oneWayMs()).as("within the error").isCloseTo(3.96, within(1e-9));
    }

    @Test
    void aJumpOfTheReflectorsClockIsNoJitter() {
        List<Answer> answers = new ArrayList<>(answers(2, 4, 3, 7, 7.5, 2));
        for (int i = 3; i < 6; i++) {
            answers.set(i, ahead(answers.get(i), 30_000 * MILLI));
        }
        Delays delays = of(answers);
        assertThat(delays.jitterMs()).as("2-4, 4-3, 7-7.5, 7.5-2").isCloseTo(9.0 / 4, within(1e-9));
        assertThat(delays.rttMs()).isEqualTo(of(answers(2, 4, 3, 7, 7.5, 2)).rttMs());
        assertThat(delays.oneWayMs()).isNaN();
    }

    @Test
    void aJumpOfTheClockHereLeavesItsProbesOut() {
        List<Answer> answers = new ArrayList<>(answers(2, 4));
        Answer late = answer(2, 3, 1);
        for (long jump : new long[] {-10_000 * MILLI, 3_600_000 * MILLI}) {
            answers.add(new Answer(late.number(), late.sentNanos(), late.arrivedNanos(), late.backNanos(), late.hereNanos() + jump, true, 0, 46, 64));
            ReceivedTrain train = received(3, answers);
            assertThat(train.lost()).as("it was answered").isZero();
            assertThat(train.implausible()).isEqualTo(1);
            assertThat(Delays.of(train(3), List.of(train)).rttMs()).isEqualTo(4);
            answers.remove(2);
        }
    }

    @Test
    void oneWayIsKnownOnlyIfBothClocksFollowSomebodyAndErrLittle() {
        List<Answer> truth = answers(2, 4, 3, 7);
        assertThat(of(each(truth, clock(false, 1_000))).oneWayMs()).isNaN();
        assertThat(of(each(truth, clock(true, 3 * MILLI))).oneWayMs()).as("over half of 5 ms").isNaN();
        assertThat(of(each(truth, clock(true, 2 * MILLI))).errorMs()).isEqualTo(2);
        assertThat(of(each(truth, clock(true, -1))).oneWayMs()).isNaN();
        List<Answer> one = new ArrayList<>(truth);
        one.set(2, clock(false, 0).apply(one.get(2)));
        assertThat(of(one).oneWayMs()).as("one answer without").isNaN();
    }

    @Test
    void theCodePointIsKeptIfEveryProbeKeptIt() {
        List<Answer> one = new ArrayList<>(answers(2, 4, 3));
        one.set(1, new Answer(1, one.get(1).sentNanos(), one.get(1).arrivedNanos(), one.get(1).backNanos(), one.get(1).hereNanos(), true, 0, 0, 64));
        assertThat(of(one).dscpKept()).isFalse();
        assertThat(of(each(one, a -> new Answer(a.number(), a.sentNanos(), a.arrivedNanos(), a.backNanos(), a.hereNanos(), true, 0, -1, 64)))
                .dscpKept()).isNull();
    }

    @Test
    void whatAReflectorMakesUpIsLeftOut() {
        Answer good = answer(1, 2, 1);
        Answer inside = new Answer(2, good.sentNanos(), good.arrivedNanos(), good.backNanos() + 60_000 * MILLI, good.hereNanos(), true, 0, 46, 64);
        Answer backwards = new Answer(3, good.sentNanos(), good.arrivedNanos(), good.arrivedNanos() - 1, good.hereNanos(), true, 0, 46, 64);
        Answer extreme = new Answer(4, good.sentNanos(), Long.MIN_VALUE, Long.MAX_VALUE, good.hereNanos(), true, Long.MAX_VALUE, 46, 64);
        ReceivedTrain train = ReceivedTrain.of(new Answers(train(10), 5,
                List.of(answer(-1, 2, 1), good, answer(1, 9, 1), inside, backwards, extreme, answer(10, 2, 1),
                        answer(Integer.MAX_VALUE, 2, 1))));
        assertThat(train.sent()).isEqualTo(5);
        assertThat(train.answered()).isEqualTo(4);
        assertThat(train.implausible()).as("three numbers, a second answer, three times").isEqualTo(7);
        Delays delays = Delays.of(train(10), List.of(train));
        assertThat(delays.rttMs()).isEqualTo(3);
        assertThat(delays.jitterMs()).isNaN();
        assertThat(ReceivedTrain.of(new Answers(train(10), -3, List.of(good))).lost()).isZero();
        assertThat(ReceivedTrain.of(new Answers(train(10), 99, List.of(good))).lost()).isEqualTo(9);
    }

    @Test
    void whatTheKernelDidNotTakeIsNotLost() {
        ReceivedTrain train = ReceivedTrain.of(new Answers(train(10), 6, answers(LOST, LOST, LOST, LOST, 2, 2, 3, 3, 2)));
        assertThat(train.answered()).as("of 4 to 9, which it took").isEqualTo(5);
        assertThat(train.lost()).isEqualTo(1);
        assertThat(Delays.of(train(10), List.of(train)).rttMs()).isCloseTo(3.4, within(1e-9));
    }

    @Test
    void withoutAnswersNothingIsKnown() {
        assertThat(of(List.of()).toString()).isEqualTo(Delays.UNKNOWN.toString());
    }
}
