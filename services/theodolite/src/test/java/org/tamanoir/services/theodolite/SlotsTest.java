package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.service.Position;
import org.tamanoir.service.flow.Flows.Connection;
import org.tamanoir.service.flow.Flows.Flow;
import org.tamanoir.service.testkit.Emitted;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** Runs that the observatory has booked, at both ends: flows go out once, and come in by their token alone. */
class SlotsTest {
    private static final String TOKEN = "5f2b0c9a7d1e4f608b3a2c1d0e9f8a7b";

    private final Observatory observatory = new Observatory();
    private ServiceHarness harness;

    @BeforeEach
    void start() throws Exception {
        harness = ServiceHarness.of(new Theodolite(), Map.of("name", Observatory.NAME)).server("observatory", observatory.server).start();
        observatory.plan(Observatory.session("flow", Kind.THROUGHPUT, Observatory.REFLECTOR), Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR));
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    private static BookedRun run(long number, boolean sends, String task) {
        return new BookedRun(number, sends, task + "/be/naples/pisa", Observatory.peer("pisa", Observatory.REFLECTOR), 46, 2, TOKEN, 1, Duration.ofSeconds(10));
    }

    @Test
    void aBookedFlowIsSentOnceAndReported() throws Exception {
        byte[] answer = new FlowReport(1_000_000_000, 10_000_000_000L, 600_000_000, 5_000_000_000L).encode();
        harness.flows().carries(flow -> new Connection(1_000_100_000, 10_000_000_000L, 7, answer, null));
        observatory.runs(run(17, true, "flow"));
        harness.advance(Duration.ofSeconds(5));
        List<Flow> flows = harness.flows().flows();
        assertThat(flows).hasSize(1);
        assertThat(flows.get(0).to().getPort()).isEqualTo(3322);
        assertThat(flows.get(0).dscp()).isEqualTo(46);
        assertThat(flows.get(0).connections()).isEqualTo(2);
        assertThat(new String(flows.get(0).opening(), US_ASCII)).isEqualTo(TOKEN);
        observatory.runs(run(17, true, "flow"));
        harness.advance(Duration.ofSeconds(10));
        assertThat(harness.flows().flows()).as("the same run again").isEmpty();
        assertThat(observatory.reports).singleElement().matches(report -> report.isDone() && report.theodolite().equals(Observatory.NAME));
        assertThat(observatory.of("flow").get(0).values()).containsEntry("octets", 2e9).containsEntry("seconds", 10.0).containsEntry("mbits", 1600.0)
                .containsEntry("steady-mbits", 1920.0).containsEntry("streams", 2.0).containsEntry("retransmissions", 14.0);
    }

    @Test
    void aFlowThatFailsIsReportedWithItsReasonAndIsNoSample() throws Exception {
        harness.flows().carries(flow -> new Connection(5, 1, 0, new byte[0], new AnepException(ErrorCode.UNREACHABLE, "nobody\nthere")));
        observatory.runs(run(18, true, "flow"));
        harness.advance(Duration.ofSeconds(12));
        harness.flows().carries(flow -> new Connection(5, 1, 0, "lies".getBytes(US_ASCII), null));
        observatory.runs(run(19, true, "flow"));
        harness.advance(Duration.ofSeconds(12));
        assertThat(observatory.reports).extracting("why").containsExactly("EE-204 nobody there", "the other end says what cannot be");
        assertThat(observatory.of("flow")).isEmpty();
    }

    @Test
    void aSessionOfProbesRunsOnDemand() throws Exception {
        observatory.server.publish("/v1/plan?theodolite=naples&wait=25", new org.tamanoir.paths.wire.TheodolitePlan(7, Duration.ofSeconds(30), Observatory.NAME,
                List.of(onDemand())).json().getBytes(US_ASCII));
        harness.advance(Duration.ofMinutes(3));
        assertThat(harness.probes().trains()).isEmpty();
        observatory.runs(run(20, true, "ping"));
        harness.advance(Duration.ofSeconds(20));
        assertThat(harness.probes().trains()).isNotEmpty();
        assertThat(observatory.reports).singleElement().matches(report -> report.isDone());
        assertThat(observatory.of("ping").get(0).values()).containsEntry("loss", 1.0);
    }

    private static org.tamanoir.paths.wire.PlannedSession onDemand() {
        org.tamanoir.paths.wire.PlannedSession ping = Observatory.session("ping", Kind.ROUND_TRIP, Observatory.REFLECTOR);
        return new org.tamanoir.paths.wire.PlannedSession(ping.id(), ping.task(), ping.peer(), ping.qosClass(), ping.codePoint(), ping.test(), null);
    }

    /** 100 kB every 10 ms, and after a second twice as much. */
    @Test
    void aFlowComesInByItsTokenAndIsCounted() throws Exception {
        observatory.runs(run(21, false, "flow"));
        harness.advance(Duration.ofSeconds(1));
        try (StreamHarness stream = harness.stream(Position.ONLY).endsHere().open()) {
            stream.toDestination(TOKEN.getBytes(US_ASCII));
            for (int i = 0; i < 200; i++) {
                stream.toDestination(new byte[i < 100 ? 10_000 : 20_000]);
                stream.advance(Duration.ofMillis(10));
            }
            stream.end();
            Emitted answer = stream.advance(Duration.ZERO);
            byte[] octets = new byte[answer.toSource().get(0).payloadLength()];
            answer.toSource().get(0).payload().getBytes(answer.toSource().get(0).payload().readerIndex(), octets);
            FlowReport report = FlowReport.decode(octets);
            assertThat(report.octets()).isEqualTo(3_000_000);
            assertThat(report.mbits()).isCloseTo(12, within(0.2));
            assertThat(report.steadyMbits()).isCloseTo(16, within(0.9));
            assertThat(answer.toDestination()).isEmpty();
        }
        assertThat(harness.metrics().value("flow_octets_received")).isEqualTo(3_000_000);
    }

    @Test
    void nobodyComesInWithoutARunOrWithMoreConnectionsThanItHas() throws Exception {
        try (StreamHarness early = harness.stream(Position.ONLY).endsHere().open()) {
            early.toDestination(TOKEN.getBytes(US_ASCII));
            early.advance(Duration.ofSeconds(1));
            assertThat(early.isSourcePaused()).as("its run may be heard of in a moment").isTrue();
            observatory.runs(run(22, false, "flow"));
            early.advance(Duration.ofSeconds(1));
            assertThat(early.isSourcePaused()).isFalse();
        }
        try (StreamHarness second = harness.stream(Position.ONLY).endsHere().open()) {
            second.toDestination(TOKEN.getBytes(US_ASCII));
            assertThat(second.isSourcePaused()).isFalse();
        }
        StreamHarness third = harness.stream(Position.ONLY).endsHere().open();
        third.toDestination(TOKEN.getBytes(US_ASCII));
        assertThatThrownBy(() -> third.advance(Duration.ofSeconds(6))).hasMessageContaining("EE-406");
        observatory.runs();
        harness.advance(Duration.ofSeconds(1));
        StreamHarness late = harness.stream(Position.ONLY).endsHere().open();
        late.toDestination(TOKEN.getBytes(US_ASCII));
        assertThatThrownBy(late::end).hasMessageContaining("EE-406");
        assertThat(harness.metrics().value("flows_refused")).isEqualTo(2);
    }

    @Test
    void aReportIsWrittenAsDescribed() {
        byte[] octets = new FlowReport(1_000_000_000, 10_000_000_000L, 600_000_000, 5_000_000_000L).encode();
        byte[] vector = HexFormat.of().parseHex("54465231000000003b9aca0000000002540be4000000000023c34600000000012a05f200");
        assertThat(Arrays.equals(octets, vector)).as(HexFormat.of().formatHex(octets)).isTrue();
        assertThat(FlowReport.decode(vector)).isEqualTo(new FlowReport(1_000_000_000, 10_000_000_000L, 600_000_000, 5_000_000_000L));
        vector[0]++;
        assertThat(FlowReport.decode(vector)).isNull();
        assertThat(FlowReport.decode(new FlowReport(1, 1, 2, 1).encode())).as("more in a half than in the whole").isNull();
        assertThat(FlowReport.decode(new byte[3])).isNull();
    }
}
