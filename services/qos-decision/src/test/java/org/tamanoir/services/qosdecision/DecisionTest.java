package org.tamanoir.services.qosdecision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.tamanoir.services.qosdecision.Questions.BE;
import static org.tamanoir.services.qosdecision.Questions.EF;
import static org.tamanoir.services.qosdecision.Questions.rtt;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.Finding;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Goal.Level;
import org.tamanoir.service.qos.ServiceLevel.Goal.Weight;
import org.tamanoir.service.qos.ServiceLevel.Goal.Wish;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.testkit.ServiceHarness;

/** The service as qosinus calls it, its options, and what it tells people. */
class DecisionTest {
    private final Questions flow = new Questions(Transport.TCP, Questions.delay(10)).sample(BE, rtt(50)).sample(EF, rtt(6.8));

    @Test
    void itAnswersCountsAndTakesNewOptions() throws Exception {
        Decision decision = new Decision();
        try (ServiceHarness harness = ServiceHarness.start(decision, Map.of("fresh", "10s"))) {
            assertThat(decision.choose(flow.question()).className()).isEqualTo("EF");
            assertThat(decision.reconfigure(new MapConfiguration("options", Map.of("fresh", "100ms")))).isTrue();
            Choice choice = decision.choose(flow.question());
            assertThat(choice.className()).isEqualTo("BE");
            assertThat(choice.state()).isEqualTo(State.UNKNOWN);
            assertThatThrownBy(() -> decision.reconfigure(new MapConfiguration("options", Map.of("fresh", "0s")))).isInstanceOf(AnepException.class);
            assertThat(harness.metrics().value("choices")).isEqualTo(2);
            assertThat(harness.metrics().value("unknown")).isEqualTo(1);
            assertThatThrownBy(() -> harness.open(Position.ONLY)).hasMessageContaining("takes no streams");
        }
    }

    @ParameterizedTest
    @CsvSource({"periods,0", "cheaper,0", "tolerance,-1", "headroom,91", "quiet,0s", "fresh,2h", "delay-low,x", "rate-high,NaN", "loss-medium,-1", "jitter-high,0.5",
            "delay-low,101", "stability-high,26"})
    void aBadOptionIsNamed(String name, String value) {
        assertThatThrownBy(() -> ServiceHarness.start(new Decision(), Map.of(name, value))).isInstanceOf(AnepException.class)
                .hasMessageContaining(name.equals("delay-low") && value.equals("101") ? "delay-medium" : name);
    }

    @Test
    void whatPeopleAreToldNamesTheObjectiveThatFails() {
        Choice choice = flow.first();
        assertThat(choice.reason()).isEqualTo("EF: the cheapest class that meets every objective (delay 6.8 ms keeps at most 10 ms, measured 0.5 s ago; "
                + "100 Mb/s left)");
        assertThat(choice.findings()).extracting(Finding::className).containsExactly("LBE", "BE", "AF-TCP", "AF-UDP", "EF");
        assertThat(choice.findings()).extracting(Finding::text).containsExactly("not measured", "delay 50 ms misses at most 10 ms, measured 0.5 s ago",
                "not measured; 100 Mb/s left", "takes UDP only", "delay 6.8 ms keeps at most 10 ms, measured 0.5 s ago; 100 Mb/s left");
        assertThat(choice.findings().get(1).score()).isCloseTo(50.1 / 10.1 - 1, within(1e-9));
    }

    @Test
    void aSegmentKeepsItsShareOfTheDelay() {
        Questions halves = new Questions(Transport.TCP, Questions.delay(10)).sample(BE, rtt(5.1)).sample(EF, rtt(5));
        assertThat(halves.first().className()).isEqualTo("BE");
        halves.segments = 2;
        assertThat(halves.first().className()).isEqualTo("EF");
    }

    @Test
    void wordsAreLimitsThatTheOperatorSets() {
        Objectives little = new Objectives(new Wish(Level.LOW), null, null, null);
        Questions words = new Questions(Transport.TCP, little, Map.of("delay-low", "60")).sample(BE, rtt(50)).sample(EF, rtt(5));
        assertThat(words.first().className()).isEqualTo("BE");
        assertThat(new Questions(Transport.TCP, little).sample(BE, rtt(50)).sample(EF, rtt(5)).first().className()).isEqualTo("EF");
    }

    /** EF has a seventh of the delay and half of the rate: whoever cares for delay takes it, whoever cares for the rate does not. */
    @Test
    void weightsCompareClasses() {
        ClassSample be = Questions.sample(40, 90, 90, 0);
        ClassSample ef = Questions.sample(6, 45, 45, 0);
        assertThat(weighing(0.9, 0.1).sample(BE, be).sample(EF, ef).first().className()).isEqualTo("EF");
        assertThat(weighing(0.1, 0.9).sample(BE, be).sample(EF, ef).first().className()).isEqualTo("BE");
        // 9 % worse is as good, and cheaper.
        assertThat(weighing(1, 0).sample(BE, rtt(10.9)).sample(EF, rtt(10)).first().className()).isEqualTo("BE");
        assertThat(weighing(1, 0).sample(BE, rtt(11.2)).sample(EF, rtt(10)).first().className()).isEqualTo("EF");
    }

    private static Questions weighing(double delay, double rate) {
        return new Questions(Transport.TCP, new Objectives(new Weight(delay), null, null, new Weight(rate)));
    }
}
