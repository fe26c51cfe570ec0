package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** Files that have to be there in time, at one node. */
class TransfersTest {
    private static final byte[] HALF = new byte[50_000];

    @SuppressWarnings("unchecked")
    private static Map<String, Object> file(Path path, long session) {
        return (Map<String, Object>) path.shown(session).get("transfer");
    }

    private static ClassSample carries(double mbps) {
        return new ClassSample(5, 5, 5, Double.NaN, Double.NaN, 0.1, 0, mbps, mbps, 10, false, null, 0.5);
    }

    private static double limit(Path.Node node) {
        return ((Goal.Limit) node.decision.asked.level().objectives().rate()).value();
    }

    @Test
    void theDecisionIsAskedForWhatIsLeftAndTheEndIsShown() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("size=1000000,within=10s");
            assertThat(file(path, code)).containsEntry("state", "waiting").containsEntry("carried", 0L).containsEntry("deadline", null);
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            // 1 MB in 9.5 s, in segments of 1,448 octets of a packet of 1,500.
            assertThat(limit(node)).isCloseTo(8 / 9.5 * 1500 / 1448, within(0.001));
            assertThat(node.decision.asked.rate()).isEqualTo(node.enforcement.allocated().get("EF"));
            assertThat(node.decision.asked.level().objectives().transfer()).isNull();
            for (int i = 0; i < 7; i++) {
                stream.toDestination(HALF);
            }
            node.harness.advance(Duration.ofSeconds(4));
            // 600 kB in 5.5 s is more; packets that large have next to no header.
            assertThat(limit(node)).isCloseTo(4.8 / 5.5 * 1500 / 1448, within(0.002));
            assertThat(file(path, code)).containsEntry("state", "running").containsEntry("carried", 400_000L).containsKey("needed");
            for (int i = 0; i < 12; i++) {
                stream.toDestination(HALF);
            }
            node.harness.advance(Duration.ofSeconds(1));

            assertThat(file(path, code)).containsEntry("state", "done").containsEntry("carried", 1_000_000L).doesNotContainKey("needed");
            assertThat((Double) file(path, code).get("lateSeconds")).isBetween(-5.1, -4.0);
            assertThat(node.decision.asked.level().objectives().isEmpty()).as("nothing is needed any more").isTrue();
            assertThat(path.shown(code).get("events").toString()).contains("1000000 octets are to be there by").contains("in time, ");
            assertThat(node.harness.metrics().value("transfers_in_time")).isEqualTo(1);
        }
    }

    /** Wrong: one that finds out a moment before its deadline that a cheaper class does not carry it. */
    @Test
    void noCheaperClassIsTriedNearTheDeadline() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(path.open("size=1000000,within=60s")), HALF);
            stream.toDestination(HALF);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(asked(node)).contains("BE", "EF");
            for (int i = 0; i < 43; i++) {
                stream.toDestination(new byte[1]);
                node.harness.advance(Duration.ofSeconds(1));
            }
            assertThat(asked(node)).as("15 s before the deadline, in EF").containsExactly("EF");
        }
    }

    private static List<String> asked(Path.Node node) {
        return node.decision.asked.candidates().stream().map(each -> each.qosClass().name()).toList();
    }

    @Test
    void aFileThatIsLateSaysSoAndByHowMuch() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("size=100000,within=10s");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            node.harness.advance(Duration.ofSeconds(9));
            stream.toDestination(new byte[1]);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(file(path, code)).containsEntry("state", "late").containsEntry("carried", 50_001L);
            assertThat(path.shown(code)).containsEntry("state", "degraded");
            assertThat(path.shown(code).get("reason").toString()).endsWith("; its deadline is over");
            stream.toDestination(HALF);
            node.harness.advance(Duration.ofSeconds(1));

            assertThat(file(path, code)).containsEntry("state", "done late");
            assertThat((Double) file(path, code).get("lateSeconds")).isBetween(1.0, 2.1);
            assertThat(path.shown(code)).containsEntry("state", "met");
            assertThat(path.shown(code).get("events").toString()).contains("49999 octets are missing at the deadline").contains("late by ");
            assertThat(node.harness.metrics().value("transfers_late")).isEqualTo(1);
        }
    }

    /** It carries nothing any more, so nobody chooses a class for it. */
    @Test
    void aFileThatStopsHalfwayIsLateToo() throws Exception {
        try (Path path = new Path(2, Map.of("quiet", "2s"))) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("size=100000,within=10s");
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(code), HALF);
            node.harness.advance(Duration.ofSeconds(12));
            assertThat(path.shown(code)).containsEntry("state", "at rest");
            assertThat(file(path, code)).containsEntry("state", "late");
            path.ask(Op.RELEASE, code, null);
            assertThat(node.harness.inspect("events", Map.of()).toString()).contains("50000 of 100000 octets have not passed");
        }
    }

    @Test
    void whatPassesJustBeforeTheReleaseCounts() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("size=100000,within=10s");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            stream.toDestination(HALF);
            path.ask(Op.RELEASE, code, null);
            assertThat(node.harness.inspect("events", Map.of()).toString()).contains("in time, ").doesNotContain("have not passed");
        }
    }

    @Test
    void whatNoClassCanCarryIsSaidAtTheOpening() throws Exception {
        try (Path path = new Path(2, Map.of("ef", "10mbit"))) {
            Path.Node node = path.nodes.get(0);
            node.monitoring.samples = Map.of("BE", carries(5), "LBE", carries(1));
            Answer answer = path.ask(Op.OPEN, 0, "size=100000000,within=10s");
            assertThat(answer.code()).isNull();
            assertThat(answer.warning()).startsWith("node 00000000000000a0: what is left in the time that is left needs 87.2")
                    .endsWith("no class carries more than 10.000 (EF)");
            assertThat(path.shown(answer.session()).get("events").toString()).contains("cannot");
            assertThat(path.ask(Op.OPEN, 0, "size=10000000,within=10s").warning()).as("EF has the room").isNull();
            node.monitoring.samples = Map.of("LBE", carries(1));
            assertThat(path.ask(Op.OPEN, 0, "size=100000000,within=10s").warning()).as("nobody knows what best effort carries").isNull();
        }
    }

    @Test
    void whatBecomesImpossibleIsToldAfterSomePeriodsAndWhatIsPossibleAgainToo() throws Exception {
        try (Path path = new Path(2, Map.of("ef", "10mbit"))) {
            Path.Node node = path.nodes.get(0);
            node.monitoring.samples = Map.of("BE", carries(50), "LBE", carries(1));
            node.decision.className = "BE";
            long code = path.open("size=10000000,within=10s");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            assertThat(path.shown(code)).containsEntry("state", "met");
            node.monitoring.samples = Map.of("BE", carries(3), "LBE", carries(1), "EF", carries(4));
            node.harness.advance(Duration.ofMillis(1500));
            assertThat(file(path, code)).as("one measurement").containsEntry("impossible", null);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(file(path, code).get("impossible").toString()).endsWith("no class carries more than 4.000 (EF)");
            assertThat(path.shown(code)).containsEntry("state", "degraded");
            assertThat(node.harness.metrics().value("transfers_impossible")).isEqualTo(1);
            node.monitoring.samples = Map.of("BE", carries(50), "LBE", carries(1));
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(file(path, code)).containsEntry("impossible", null);
            assertThat(path.shown(code).get("events").toString()).contains("cannot").contains("possible");
        }
    }

    /** Less than it needs is better than none, where best effort carries still less. */
    @Test
    void whatIsLeftOfAClassIsTakenWhereItIsTooLittle() throws Exception {
        try (Path path = new Path(2, Map.of("ef", "10mbit"))) {
            Path.Node node = path.nodes.get(0);
            node.monitoring.samples = Map.of("BE", carries(5), "LBE", carries(1), "EF", carries(100));
            long code = path.open("size=20000000,within=10s");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            assertThat(node.enforcement.allocated()).containsEntry("EF", 1_250_000L);
            assertThat(path.shown(code)).containsEntry("state", "degraded");
            assertThat(path.shown(code).get("reason").toString()).contains("10.000 Mb/s of EF are left for the 17.4");

            node.monitoring.samples = Map.of("BE", carries(12), "LBE", carries(1), "EF", carries(100));
            node.decision.className = "BE";
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(node.decision.asked.rate()).as("best effort carries more than is left of EF").isGreaterThan(2_000_000);
        }
    }

    @Test
    void aModifiedFileBeginsAnewAndTheSameOneGoesOn() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("size=100000,within=10s");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            path.ask(Op.MODIFY, code, "size=100000,within=10s,delay=low");
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(file(path, code)).containsEntry("carried", 50_000L);
            path.ask(Op.MODIFY, code, "size=200000,within=10s");
            stream.toDestination(new byte[7]);
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(file(path, code)).containsEntry("carried", 7L).containsEntry("size", 200_000L);
            path.ask(Op.MODIFY, code, "delay=low");
            assertThat(path.shown(code)).doesNotContainKey("transfer");
        }
    }

    @Test
    void aRestartForgetsNoFile() throws Exception {
        RecordedStore kept;
        long half;
        long whole;
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            half = path.open("size=100000,by=" + Instant.now().plusSeconds(100));
            whole = path.open("size=50000,within=10s");
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(half), HALF);
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(whole), HALF);
            node.harness.advance(Duration.ofSeconds(2));
            kept = node.harness.store();
            kept.crash();
        }
        try (ServiceHarness again = ServiceHarness.of(new Qosinus(), Map.of("ef", "60mbit")).store(kept).start()) {
            assertThat(again.inspect("session", Map.of("code", Messages.hex(half))).get("transfer").toString()).as("before anything passes")
                    .contains("state=running").contains("carried=50000");
            assertThat(again.inspect("session", Map.of("code", Messages.hex(whole))).get("transfer").toString()).contains("state=done,").contains("carried=50000");
            StreamHarness stream = again.stream(Position.INGRESS).transport(Transport.TCP).chain(0x5404).source(Path.SOURCE)
                    .destination(Path.DESTINATION).open();
            stream.toDestination(Path.with(half), new byte[10]);
            StreamHarness other = again.stream(Position.INGRESS).transport(Transport.TCP).chain(0x5404).source(Path.SOURCE)
                    .destination(Path.DESTINATION).open();
            other.toDestination(Path.with(whole), new byte[10]);
            again.advance(Duration.ofSeconds(2));
            Map<String, Object> shown = again.inspect("session", Map.of("code", Messages.hex(half)));
            assertThat(shown.get("transfer").toString()).contains("state=running").contains("carried=50010");
            assertThat(again.inspect("session", Map.of("code", Messages.hex(whole))).get("transfer").toString()).contains("state=done,")
                    .contains("carried=50000").contains("lateSeconds=-");
            assertThat(again.metrics().value("transfers_in_time")).as("it was counted before").isZero();
        }
    }

    /** Wrong: the second file of a session that rests is as far as the first one was. */
    @Test
    void anotherFileOfASessionAtRestIsNotTheOneBeforeAfterARestart() throws Exception {
        RecordedStore kept;
        long code;
        try (Path path = new Path(2, Map.of("quiet", "2s"))) {
            Path.Node node = path.nodes.get(0);
            code = path.open("size=50000,within=10s");
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(code), HALF);
            node.harness.advance(Duration.ofSeconds(6));
            assertThat(path.shown(code)).containsEntry("state", "at rest");
            path.ask(Op.MODIFY, code, "size=900000,within=10m");
            assertThat(file(path, code)).containsEntry("state", "waiting").containsEntry("carried", 0L);
            kept = node.harness.store();
            kept.crash();
        }
        try (ServiceHarness again = ServiceHarness.of(new Qosinus(), Map.of("ef", "60mbit")).store(kept).start()) {
            assertThat(again.inspect("session", Map.of("code", Messages.hex(code))).get("transfer").toString()).contains("state=waiting").contains("size=900000");
        }
    }

    /** Wrong: the time of a file runs from the question, and not from its first packet; the same file is promised anew when something else is modified. */
    @Test
    void aFileThatIsAskedForWhileTheSessionCarriesBeginsWithItsFirstPacket() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("traffic=100000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), HALF);
            path.ask(Op.MODIFY, code, "size=100000,within=100s");
            node.harness.advance(Duration.ofSeconds(3));
            assertThat(file(path, code)).containsEntry("state", "waiting");
            stream.toDestination(HALF);
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(file(path, code)).containsEntry("state", "running").containsEntry("carried", 50_000L);
            assertThat((Double) file(path, code).get("leftSeconds")).isBetween(98.0, 100.1);
        }
    }

    @Test
    void aMomentThatIsOverIsRefused() throws Exception {
        try (Path path = new Path(1)) {
            Answer answer = path.ask(Op.OPEN, 0, "size=1,by=2020-01-01T00:00:00Z");
            assertThat(answer.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
            assertThat(answer.text()).contains("objectives.by is 2020-01-01T00:00:00Z, which is over");
        }
    }
}
