package org.tamanoir.services.qosdecision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.services.qosdecision.Questions.AF_TCP;
import static org.tamanoir.services.qosdecision.Questions.BE;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/** How much the rate of a flow may vary. */
class StabilityTest {
    private static Questions flow(Goal stability) {
        Questions flow = new Questions(Transport.TCP, new Objectives(null, null, null, null, stability, null), Map.of());
        flow.available.keySet().removeIf(each -> each != BE && each != AF_TCP);
        return flow.sample(BE, varies(Double.NaN)).sample(AF_TCP, varies(Double.NaN));
    }

    private static ClassSample varies(double percent) {
        return new ClassSample(5, 5, 5, Double.NaN, Double.NaN, 0.1, 0, 40, 40, 10, true, null, 0.5, percent);
    }

    @Test
    void whatNobodyHasMeasuredDoesNotCountAgainstAClass() {
        Choice choice = flow(new Goal.Limit(10)).first();
        assertThat(choice.className()).isEqualTo("BE");
        assertThat(choice.state()).isEqualTo(State.MET);
        assertThat(choice.reason()).contains("rate variation not known, which does not count");
    }

    @Test
    void aClassInWhichItVariesTooMuchIsLeftAndNotTakenAgainBeforeItIsKnownToBeSteady() {
        Questions flow = flow(new Goal.Limit(20));
        flow.first();
        flow.nanos += 10_000_000_000L;
        flow.sample(BE, varies(35));
        for (int i = 1; i < 3; i++) {
            assertThat(flow.next().className()).as("the other class is not measured either").isEqualTo("BE");
        }
        assertThat(flow.next().className()).isEqualTo("AF-TCP");
        flow.sample(AF_TCP, varies(2)).sample(BE, varies(Double.NaN));
        for (int i = 0; i < 60; i++) {
            assertThat(flow.next().className()).as("BE is not known to be better now").isEqualTo("AF-TCP");
        }
        flow.sample(BE, varies(19));
        for (int i = 0; i < 60; i++) {
            assertThat(flow.next().className()).as("no headroom").isEqualTo("AF-TCP");
        }
        flow.sample(BE, varies(12));
        flow.next();
        assertThat(flow.next().className()).isEqualTo("BE");
        assertThat(flow.changes).isEqualTo(2);
    }

    @Test
    void aClassThatIsKnownToBeSteadyIsTakenAtOnce() {
        Questions flow = flow(new Goal.Limit(20));
        flow.first();
        flow.nanos += 10_000_000_000L;
        flow.sample(BE, varies(35)).sample(AF_TCP, varies(3));
        assertThat(flow.next().className()).isEqualTo("AF-TCP");
    }

    @Test
    void whereEveryClassVariesTooMuchItIsDegraded() {
        Questions flow = flow(new Goal.Limit(10)).sample(BE, varies(60)).sample(AF_TCP, varies(30));
        Choice choice = flow.first();
        assertThat(choice.className()).isEqualTo("AF-TCP");
        assertThat(choice.state()).isEqualTo(State.DEGRADED);
        assertThat(choice.reason()).contains("rate variation 30 % misses at most 10 %");
    }

    /** Every segment has to be as steady: it does not add up along a path. */
    @ParameterizedTest
    @CsvSource({"HIGH,10,10.1", "MEDIUM,25,25.1", "LOW,50,50.1"})
    void wordsStandForLimitsOnEachSegment(Goal.Level word, double keeps, double misses) {
        Questions flow = flow(new Goal.Wish(word));
        flow.segments = 3;
        assertThat(flow.sample(BE, varies(keeps)).first().className()).isEqualTo("BE");
        assertThat(flow.sample(BE, varies(misses)).first().className()).isEqualTo("AF-TCP");
    }

    @Test
    void aDeadClassIsNotSavedByWhatIsNotKnown() {
        QosClass dead = BE;
        Questions flow = flow(new Goal.Limit(10)).sample(dead, new ClassSample(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 100,
                0, 0, 10, false, null, 0.5));
        assertThat(flow.first().className()).isEqualTo("AF-TCP");
    }
}
