package org.tamanoir.services.qosdecision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/**
 * Table 1 of the active grid paper, all twelve rows: EC is from ENS to CEA, CE the way back. A TCP rate of "100 to 200 Kb/s" is 0.15 Mb/s.
 */
class TableOneTest {
    private static final Map<QosClass, ClassSample> EC_EMPTY = Map.of(Questions.BE, Questions.sample(5.8, 86, 100, 0), Questions.EF,
            Questions.sample(5.8, 86, 100, 0));
    private static final Map<QosClass, ClassSample> EC_CONGESTED = Map.of(Questions.BE, Questions.sample(32, 0.15, 73, 30), Questions.EF,
            Questions.sample(6.8, 44, 100, 0));
    private static final Map<QosClass, ClassSample> CE_EMPTY = Map.of(Questions.BE, Questions.sample(5.8, 49.6, 105, 0), Questions.EF,
            Questions.sample(5.8, 49.6, 105, 0));
    private static final Map<QosClass, ClassSample> CE_CONGESTED = Map.of(Questions.BE, Questions.sample(72, 0.15, 64, 38), Questions.EF,
            Questions.sample(6.8, 49.6, 105, 0));

    private static Choice choose(Map<QosClass, ClassSample> rows, Transport transport, Objectives objectives) {
        Questions flow = new Questions(transport, objectives);
        rows.forEach(flow::sample);
        return flow.first();
    }

    private static void assertMet(Map<QosClass, ClassSample> rows, Transport transport, Objectives objectives, String name) {
        Choice choice = choose(rows, transport, objectives);
        assertThat(choice.className()).as(choice.reason()).isEqualTo(name);
        assertThat(choice.state()).as(choice.reason()).isEqualTo(State.MET);
    }

    @Test
    void aFlowThatNeedsLittleDelay() {
        for (Transport transport : Transport.values()) {
            assertMet(EC_EMPTY, transport, Questions.delay(10), "BE");
            assertMet(EC_CONGESTED, transport, Questions.delay(10), "EF");
            assertMet(CE_EMPTY, transport, Questions.delay(10), "BE");
            assertMet(CE_CONGESTED, transport, Questions.delay(10), "EF");
        }
    }

    @Test
    void aTcpFlowThatNeedsARate() {
        assertMet(EC_CONGESTED, Transport.TCP, Questions.rate(40), "EF");
        assertMet(EC_EMPTY, Transport.TCP, Questions.rate(80), "BE");
        assertMet(CE_CONGESTED, Transport.TCP, Questions.rate(45), "EF");
        assertMet(CE_EMPTY, Transport.TCP, Questions.rate(45), "BE");
    }

    @Test
    void aRateThatNoClassHas() {
        Choice choice = choose(EC_CONGESTED, Transport.TCP, Questions.rate(80));
        assertThat(choice.state()).isEqualTo(State.DEGRADED);
        assertThat(choice.className()).isEqualTo("EF");
        assertThat(choice.reason()).contains("rate 44 Mb/s misses at least 80 Mb/s");
    }

    @Test
    void aUdpFlowThatNeedsARateAndFewLosses() {
        assertMet(EC_CONGESTED, Transport.UDP, Questions.rateAndLoss(100, 0), "EF");
        assertMet(EC_CONGESTED, Transport.UDP, Questions.rateAndLoss(70, 35), "BE");
        assertMet(CE_CONGESTED, Transport.UDP, Questions.rate(70), "EF");
        assertMet(CE_EMPTY, Transport.UDP, Questions.rateAndLoss(100, 0), "BE");
    }
}
