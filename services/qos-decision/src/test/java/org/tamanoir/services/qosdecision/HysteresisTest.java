package org.tamanoir.services.qosdecision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.services.qosdecision.Questions.BE;
import static org.tamanoir.services.qosdecision.Questions.EF;
import static org.tamanoir.services.qosdecision.Questions.delay;
import static org.tamanoir.services.qosdecision.Questions.rtt;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/** When a flow changes its class, and when it does not. */
@Tag("seeded")
class HysteresisTest {
    private final Questions flow = new Questions(Transport.UDP, delay(10)).sample(BE, rtt(5)).sample(EF, rtt(2));

    @Test
    void aClassThatMissesItsLimitIsLeftAtOnceAndACheaperOneIsTakenTheSecondTime() {
        assertThat(flow.choose().className()).isEqualTo("BE");
        flow.sample(BE, rtt(50));
        assertThat(flow.next().className()).isEqualTo("EF");
        flow.sample(BE, rtt(5));
        assertThat(flow.next().reason()).contains("BE is cheaper").contains("1 time of 2");
        assertThat(flow.next().className()).isEqualTo("BE");
    }

    /** A train passes an empty queue at any rate, so what a flow gets shows only while it is there. Wrong: one that tries such a class every few seconds for ever. */
    @Test
    void aClassThatOnlySeemsToCarryTheFlowIsTriedLessAndLess() {
        Questions stream = new Questions(Transport.TCP, Questions.rate(20)).sample(EF, Questions.sample(2, 30, 30, 0));
        int there = 0;
        for (int i = 0; i < 1000; i++) {
            boolean in = "BE".equals(stream.history.className());
            there += "BE".equals(stream.sample(BE, Questions.sample(2, in ? 1 : 100, 100, 0)).next().className()) ? 1 : 0;
        }
        assertThat(stream.changes).as("changes").isLessThanOrEqualTo(2 * (2 + 1000 / 128));
        assertThat(there).as("periods in a class that does not carry it").isLessThanOrEqualTo(4 + 2 * 1000 / 128);

        stream.sample(BE, Questions.sample(2, 100, 100, 0));
        for (int i = 0; i < 200; i++) {
            stream.next();
        }
        assertThat(stream.history.className()).as("it carries the flow now").isEqualTo("BE");
        assertThat(stream.sample(BE, Questions.sample(2, 1, 1, 0)).next().className()).isEqualTo("EF");
        stream.sample(BE, Questions.sample(2, 100, 100, 0));
        for (int i = 0; i < 16; i++) {
            stream.next();
        }
        assertThat(stream.history.className()).as("it has carried the flow for long, so that begins anew").isEqualTo("BE");
    }

    @Test
    void onePeriodThatDoesNotWantItStartsTheCountAnew() {
        flow.sample(BE, rtt(50)).choose();
        for (int i = 0; i < 50; i++) {
            flow.sample(BE, rtt(i % 2 == 1 ? 9.5 : 5));
            assertThat(flow.next().className()).isEqualTo("EF");
        }
    }

    /** Noise that stays within the headroom moves a flow once at most, wherever it starts; without the headroom it would move it for ever. */
    @Test
    void noiseAroundALimitMovesAFlowOnce() {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            Questions noisy = new Questions(Transport.UDP, delay(10)).sample(EF, rtt(2));
            for (int i = 0; i < 1000; i++) {
                noisy.sample(BE, rtt(9.2 + 1.6 * random.nextDouble())).next();
            }
            assertThat(noisy.changes).as("seed " + seed).isLessThanOrEqualTo(1);
        }
    }

    /** Both classes around their limit: what is hardly better is no reason, and what is better must be so three times in a row. */
    @Test
    void twoBadClassesDoNotTakeTurns() {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            Questions noisy = new Questions(Transport.UDP, delay(10));
            for (int i = 0; i < 999; i++) {
                noisy.sample(BE, rtt(10.5 + random.nextGaussian() * 0.3)).sample(EF, rtt(10.5 + random.nextGaussian() * 0.3)).next();
            }
            assertThat(noisy.changes).as("seed " + seed).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void probesThatVanishMoveNobody() {
        flow.sample(BE, rtt(50)).choose();
        for (int i = 1; i < 100; i++) {
            flow.sample(BE, i % 2 == 0 ? null : Questions.aged(rtt(1), 30 + i)).sample(EF, null);
            Choice choice = flow.next();
            assertThat(choice.className()).isEqualTo("EF");
            assertThat(choice.state()).isEqualTo(State.UNKNOWN);
        }
        flow.sample(BE, rtt(50));
        assertThat(flow.next().className()).as("the only class that is measured, and it is bad").isEqualTo("EF");
        flow.sample(BE, rtt(5)).next();
        flow.next();
        assertThat(flow.next().className()).as("known to do").isEqualTo("BE");
    }

    @Test
    void aClassThatLosesEveryProbeIsLeftAtOnce() {
        assertThat(flow.choose().className()).isEqualTo("BE");
        flow.sample(BE, Questions.sample(Double.NaN, Double.NaN, Double.NaN, 100));
        assertThat(flow.next().className()).isEqualTo("EF");
        flow.sample(EF, Questions.sample(Double.NaN, Double.NaN, Double.NaN, 100));
        assertThat(flow.next().state()).isEqualTo(State.DEGRADED);
    }

    @Test
    void aClassThatIsGoneOrFullIsLeftAtOnce() {
        flow.sample(BE, rtt(50)).choose();
        flow.available.put(EF, -1L);
        assertThat(flow.choose().className()).isEqualTo("BE");
        flow.available.put(EF, 1000L);
        flow.rate = 1000;
        assertThat(flow.next().className()).isEqualTo("EF");
        flow.available.remove(EF);
        Choice choice = flow.choose();
        assertThat(choice.className()).isEqualTo("BE");
        assertThat(choice.reason()).contains("EF cannot be used any more");
    }

    /** 10 round trips of 400 ms: a TCP flow is left where it is for 4 s, whatever happens. */
    @Test
    void aTcpFlowIsLeftAloneForTenRoundTrips() {
        Questions tcp = new Questions(Transport.TCP, delay(500)).sample(BE, rtt(400)).sample(EF, rtt(400));
        tcp.nanos = Long.MAX_VALUE - 1;
        assertThat(tcp.choose().className()).isEqualTo("BE");
        tcp.sample(BE, rtt(4000)).sample(EF, rtt(40));
        for (int i = 0; i < 39; i++) {
            Choice choice = tcp.next();
            assertThat(choice.className()).isEqualTo("BE");
            assertThat(choice.reason()).contains("too near");
        }
        assertThat(tcp.next().className()).isEqualTo("EF");
        tcp.sample(BE, rtt(1));
        tcp.sample(EF, rtt(450));
        tcp.next();
        tcp.next();
        tcp.next();
        assertThat(tcp.next().className()).isEqualTo("EF");
        assertThat(tcp.next().className()).isEqualTo("BE");
    }

    /** A time that goes back, as after a restart, counts as a change just now; it blocks no flow for ever. */
    @Test
    void clocksThatJump() {
        flow.nanos = Long.MAX_VALUE / 4;
        flow.choose();
        flow.nanos = -5;
        flow.sample(BE, rtt(50));
        assertThat(flow.choose().className()).isEqualTo("BE");
        assertThat(flow.next().className()).isEqualTo("EF");
    }

    @Test
    void aHistoryOfNonsenseIsSurvived() {
        for (int periods : new int[] {Integer.MIN_VALUE, -1, Integer.MAX_VALUE}) {
            flow.history = new History("EF", "BE", periods, Long.MIN_VALUE);
            assertThat(flow.choose().history().periods()).isBetween(0, 4);
            flow.history = new History("no such class", "nor such", periods, Long.MAX_VALUE);
            assertThat(flow.choose().className()).isEqualTo("BE");
        }
    }

    @Test
    void aFlowThatAsksForNothingIsBestEffort() {
        Questions none = new Questions(Transport.TCP, Objectives.NONE, Map.of("cheaper", 2));
        Choice choice = none.choose();
        assertThat(choice.className()).isEqualTo("BE");
        assertThat(choice.state()).isEqualTo(State.MET);
        none.history = new History("EF", null, 0, 0);
        assertThat(none.next().className()).isEqualTo("EF");
        assertThat(none.next().className()).isEqualTo("BE");
    }
}
