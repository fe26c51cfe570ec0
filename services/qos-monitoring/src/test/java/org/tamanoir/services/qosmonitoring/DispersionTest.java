package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosmonitoring.VirtualPath.MEGABIT;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;

/** The rate of a train behind shapers, policers, and clocks that are set. */
class DispersionTest {
    private static final int PACKETS = 40;
    private static final int OCTETS = 1_500;
    private static final Train TRAIN = new Train(new InetSocketAddress(InetAddress.getLoopbackAddress(), 862), 0, PACKETS, OCTETS, Duration.ZERO,
            Duration.ofMillis(500));

    private static List<Answer> through(VirtualPath path) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < PACKETS; i++) {
            long sent = 1_000_000 + (long) (i * OCTETS / path.line * 1e9);
            long arrives = path.send(sent, OCTETS);
            if (arrives >= 0) {
                answers.add(new Answer(i, sent, arrives, arrives, arrives + path.oneWay, true, 0, 0, 64));
            }
        }
        return answers;
    }

    private static double mbps(List<Answer> answers) {
        return Dispersion.mbps(ReceivedTrain.of(new Answers(TRAIN, PACKETS, answers)), OCTETS);
    }

    @Test
    void aShaperShowsItsRateBehindItsBucket() {
        for (int bucket : new int[] {1_500, 15_000, 30_000, 40_000}) {
            VirtualPath path = new VirtualPath(1).rate(50 * MEGABIT);
            path.bucket = bucket;
            path.send(0, 1);
            assertThat(mbps(through(path))).as("bucket of " + bucket).isCloseTo(50, within(1.0));
        }
    }

    @Test
    void aSmallQueueLosesTheRestOfTheTrainAndShowsTheRateAllTheSame() {
        VirtualPath path = new VirtualPath(1).rate(20 * MEGABIT);
        path.queueOctets = 20_000;
        List<Answer> answers = through(path);
        assertThat(answers.size()).isLessThan(PACKETS / 2);
        assertThat(mbps(answers)).isCloseTo(20, within(0.5));
    }

    @Test
    void aPolicerShowsWhatItLetsThrough() {
        List<Answer> answers = new ArrayList<>();
        double tokens = 9_000;
        for (int i = 0; i < PACKETS; i++) {
            long sent = i * 12_000L;
            tokens += 400 * MEGABIT * 12e-6;
            if (tokens >= OCTETS) {
                tokens -= OCTETS;
                answers.add(new Answer(i, sent, sent + 50_000, sent + 50_000, sent + 100_000, true, 0, 0, 64));
            }
        }
        assertThat(mbps(answers)).as("packets come whole").isCloseTo(400, within(45.0));
    }

    @Test
    void aLineThatIsNoBottleneckShowsItself() {
        VirtualPath path = new VirtualPath(1).rate(5_000 * MEGABIT);
        assertThat(mbps(through(path))).isCloseTo(1_000, within(1.0));
    }

    @Test
    void nothingIsSaidOfTooFewOrAtOneMomentOrOverAJump() {
        List<Answer> answers = through(new VirtualPath(1));
        assertThat(mbps(List.of())).isNaN();
        assertThat(mbps(answers.subList(0, 1))).isNaN();
        assertThat(mbps(answers.subList(0, 2))).isCloseTo(100, within(1.0));
        assertThat(mbps(answers.stream().map(a -> new Answer(a.number(), a.sentNanos(), 1_500_000, 1_500_000, a.hereNanos(), true, 0, 0, 64))
                .toList())).isNaN();
        List<Answer> jumped = new ArrayList<>(answers);
        jumped.replaceAll(a -> a.number() < 30 ? a : Trains.ahead(a, 1_000_000_000));
        assertThat(mbps(jumped)).isNaN();
    }

    @Test
    void noLieIsMoreThanATerabit() {
        List<Answer> lie = through(new VirtualPath(1)).stream()
                .map(a -> new Answer(a.number(), a.sentNanos(), 1_500_000 + a.number() / 39, 1_500_000 + a.number() / 39, a.hereNanos(), true, 0, 0, 64))
                .toList();
        assertThat(mbps(lie)).isEqualTo(1e6);
    }
}
