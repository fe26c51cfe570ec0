package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Position;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.testkit.ServiceHarness;

/** The bundle in a node: it probes in the code point of each class, says what it knows, and hands over. */
class SegmentMonitoringTest {
    private static final Segment SEGMENT = Simulation.segment(1);
    private static final List<QosClass> CLASSES = List.of(Simulation.qosClass("BE", 0), Simulation.qosClass("EF", 46));

    private final SegmentMonitoring service = new SegmentMonitoring();
    private ServiceHarness harness;

    @AfterEach
    void stop() {
        if (harness != null) {
            harness.close();
        }
    }

    /** 1 ms there and back for EF, 5 ms for the others; 40 packets a millisecond. */
    private static Answers cross(Train train) {
        List<Answer> answers = new ArrayList<>();
        long way = train.dscp() == 46 ? 500_000 : 2_500_000;
        for (int i = 0; i < train.packets(); i++) {
            long sent = Trains.START + i * train.gap().toNanos();
            long arrived = sent + way + (train.gap().isZero() ? i * 25_000L : 0);
            answers.add(new Answer(i, sent, arrived, arrived, arrived + way, true, 10_000, train.dscp(), 64));
        }
        return new Answers(train, train.packets(), answers);
    }

    private void start(Map<String, ?> options) throws Exception {
        harness = ServiceHarness.of(service, options).start();
        harness.probes().answers(SegmentMonitoringTest::cross);
    }

    private void watch(int seconds) throws Exception {
        for (int i = 0; i < seconds; i++) {
            service.watch(SEGMENT, CLASSES);
            harness.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void everyClassIsMeasuredInItsOwnCodePoint() throws Exception {
        start(Map.of());
        assertThat(service.samples(SEGMENT)).isEmpty();
        watch(10);
        List<Train> trains = harness.probes().trains();
        assertThat(trains).extracting(Train::dscp).containsOnly(0, 46);
        assertThat(trains).extracting(Train::to).containsOnly(SEGMENT.reflector());
        assertThat(trains).extracting(Train::octets).containsOnly(100, 1_500);

        Map<String, ClassSample> samples = service.samples(SEGMENT);
        assertThat(samples.get("EF").rttMs()).isEqualTo(1);
        assertThat(samples.get("BE").rttMs()).isEqualTo(5);
        assertThat(samples.get("BE").oneWayMs()).isEqualTo(2.5);
        assertThat(samples.get("BE").udpMbps()).isEqualTo(1_500 * 8 / 25.0);
        assertThat(samples.get("BE").dscpKept()).isTrue();

        long octets = trains.stream().mapToLong(train -> (long) train.packets() * train.octets()).sum();
        assertThat(harness.metrics().value("probe_octets")).isEqualTo(octets);
        assertThat(harness.metrics().value("budget_octets")).isEqualTo(125_000);
        assertThat(harness.metrics().value("stretched")).isEqualTo(1);
        assertThat(harness.metrics().value("segments")).isEqualTo(1);
        assertThat(harness.metrics().value("probes_answered")).isPositive();
    }

    @Test
    @SuppressWarnings("unchecked")
    void anOperatorSeesEveryPathAndTheBudget() throws Exception {
        start(Map.of("budget", "2mbit"));
        watch(8);
        Map<String, Object> shown = harness.inspect("paths", Map.of());
        List<Map<String, Object>> paths = (List<Map<String, Object>>) shown.get("paths");
        assertThat(paths).hasSize(2);
        assertThat(paths.get(1)).containsEntry("egress", "node1").containsEntry("class", "EF").containsEntry("dscp", 46)
                .containsEntry("rttMs", 1.0).containsEntry("lossPct", 0.0).containsEntry("state", "measured")
                .containsKeys("ageSeconds", "errorMs", "udpMbps");
        assertThat((Map<String, Object>) shown.get("budget")).containsEntry("bitsPerSecond", 2_000_000L).containsEntry("stretchedLight", 1.0);
        assertThatThrownBy(() -> harness.inspect("sessions", Map.of())).isInstanceOfSatisfying(AnepException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void anUpgradeLosesNoSampleAndProbesOnce() throws Exception {
        start(Map.of());
        watch(10);
        Map<String, ClassSample> before = service.samples(SEGMENT);
        Map<String, Object> handed = service.handOver();
        harness.probes().trains();
        harness.advance(Duration.ofSeconds(2));
        assertThat(harness.probes().trains()).as("its successor probes now").isEmpty();

        SegmentMonitoring next = new SegmentMonitoring();
        try (ServiceHarness upgraded = ServiceHarness.of(next, Map.of()).inherited(handed).start()) {
            assertThat(next.samples(SEGMENT).get("EF").rttP95Ms()).isEqualTo(before.get("EF").rttP95Ms());
            assertThat(next.samples(SEGMENT).get("BE").udpMbps()).isEqualTo(before.get("BE").udpMbps());
            upgraded.advance(Duration.ofSeconds(1));
            assertThat(upgraded.probes().trains()).as("without being asked again").isNotEmpty();
        }
        watch(1);
        assertThat(harness.probes().trains()).as("the successor has failed: it is asked again").isNotEmpty();
    }

    @Test
    void whatCannotBeInheritedIsMeasuredAnew() throws Exception {
        harness = ServiceHarness.of(service, Map.of()).inherited(Map.of("segments", List.of(Map.of("egress", 5)))).start();
        harness.probes().answers(SegmentMonitoringTest::cross);
        watch(3);
        assertThat(service.samples(SEGMENT)).hasSize(2);
    }

    @Test
    void aNodeThatCannotSendCostsNothingOfTheBudget() throws Exception {
        start(Map.of());
        harness.probes().sends(false);
        watch(5);
        assertThat(harness.metrics().value("probe_octets")).isZero();
        assertThat(harness.metrics().value("not_sent")).isPositive();
        assertThat(service.samples(SEGMENT)).isEmpty();
        harness.probes().sends(true);
        watch(5);
        assertThat(service.samples(SEGMENT).get("EF").lossPct()).as("what was not sent is not lost").isZero();
    }

    @Test
    void optionsAreCheckedAndTakenWhileItRuns() throws Exception {
        start(Map.of());
        watch(2);
        harness.probes().trains();
        assertThat(harness.reconfigure(Map.of("period", "5s", "budget", "10mbit"))).isTrue();
        watch(10);
        assertThat(harness.probes().trains().stream().filter(train -> train.octets() == 100).count()).isLessThanOrEqualTo(20);
        assertThat(harness.metrics().value("budget_octets")).isEqualTo(1_250_000);
        for (Map<String, String> bad : List.of(Map.of("budget", "1"), Map.of("budget", "99kbit"), Map.of("budget", "2gbit"),
                Map.of("period", "99ms"), Map.of("period", "31s"), Map.of("probes", "7"), Map.of("train-octets", "1501"),
                Map.of("patience", "11s"), Map.of("budget", "100kbit", "probes", "100"), Map.of("no-such", "1"))) {
            assertThatThrownBy(() -> harness.reconfigure(bad)).as(bad.toString()).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
        }
    }

    @Test
    void aStreamIsRefused() throws Exception {
        start(Map.of());
        assertThatThrownBy(() -> harness.open(Position.ONLY)).hasMessageContaining("takes no streams");
    }
}
