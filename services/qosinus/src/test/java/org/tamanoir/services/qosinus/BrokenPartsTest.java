package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** Parts that fail, are replaced, or change under a flow cost that flow its class at most. */
class BrokenPartsTest {
    private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);

    private static List<String> texts(List<Packet> packets) {
        return packets.stream().map(packet -> packet.payload().toString(StandardCharsets.US_ASCII)).toList();
    }

    /** Fails in one call after the other. */
    private static final class Broken implements QosEnforcement {
        private final QosEnforcement whole = new FakePartners.Enforcement();
        private final String where;

        private Broken(String where) {
            this.where = where;
        }

        private void in(String call) {
            if (call.equals(where)) {
                throw new IllegalStateException("a defect in " + call);
            }
        }

        @Override
        public boolean allocate(long session, QosClass qosClass, long rate) {
            in("allocate");
            return whole.allocate(session, qosClass, rate);
        }

        @Override
        public void release(long session) {
            in("release");
            whole.release(session);
        }

        @Override
        public Map<String, Long> allocated() {
            in("allocated");
            return where.equals("no numbers") ? Collections.singletonMap("EF", null) : whole.allocated();
        }

        @Override
        public List<Action> rule(Order order) {
            in("rule");
            return where.equals("no actions") ? Arrays.asList(Action.forward(), Action.drop(), null) : whole.rule(order);
        }

        @Override
        public Conditioner conditioner(Order order) {
            in("conditioner");
            return new Conditioner() {
                @Override
                public int admit(int octets, long nanos) {
                    in("admit");
                    return where.equals("code point") ? 64 : where.equals("readyNanos") ? WAIT : order.qosClass().green();
                }

                @Override
                public long readyNanos() {
                    in("readyNanos");
                    return 0;
                }

                @Override
                public void change(Order changed) {
                    in("change");
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allocate", "release", "allocated", "no numbers", "rule", "no actions", "conditioner", "admit", "code point", "change"})
    void anEnforcementThatFailsInAnyCallCostsNoPacketAndNoPeriod(String where) throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            node.harness.partner(QosEnforcement.TYPE_ID, new Broken(where));
            for (String transport : List.of("tcp", "udp")) {
                long code = path.open("transport=" + transport + ",delay=low,traffic=1000000");
                StreamHarness stream = node.open(transport.equals("tcp") ? Transport.TCP : Transport.UDP, Path.DESTINATION);
                assertThat(stream.toDestination(Path.with(code), DATA).verdict()).isSameAs(Verdict.PASS);
                node.decision.className = "BE";
                node.harness.advance(Duration.ofSeconds(2));
                assertThat(stream.toDestination(Path.with(code), DATA).verdict()).isSameAs(Verdict.PASS);
                node.decision.className = "EF";
            }

            // The periods go on: a whole one gets everybody back.
            node.harness.partner(QosEnforcement.TYPE_ID, new FakePartners.Enforcement());
            long code = path.open("delay=low,traffic=1000000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.decision.className = "AF-TCP";
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(10);
        }
    }

    @Test
    void aDecisionOrAMonitoringThatSaysNothingMeaningfulLeavesTheFlowBestEffort() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            List<QosDecision> nonsense = List.of(question -> null, question -> new Choice("EF", null, "x", List.of(), History.NONE),
                    question -> new Choice("EF", State.MET, null, List.of(), History.NONE),
                    question -> new Choice("EF", State.MET, "x", List.of(), null), question -> new Choice("GOLD", State.MET, "x", List.of(), History.NONE));
            for (QosDecision each : nonsense) {
                node.harness.partner(QosDecision.TYPE_ID, each);
                node.harness.advance(Duration.ofSeconds(2));
                assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(0);
                assertThat(path.shown(code).get("class")).isEqualTo("BE");
            }
            node.harness.partner(QosDecision.TYPE_ID, node.decision);
            Map<String, ClassSample> none = new HashMap<>();
            none.put("EF", null);
            node.monitoring.samples = none;
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).as("measured nothing, decided all the same").containsExactly(46);
        }
    }

    @Test
    void aPeriodThatTheNodeStopsIsFollowedByAnother() throws Exception {
        // What a node throws into a task that takes too long: no exception that anybody catches.
        final class Stopped extends Error {
            private static final long serialVersionUID = 1;
        }
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            for (int calls = 0; calls < 2; calls++) {
                // Once while the session is looked at, once before that.
                node.harness.partner(calls == 0 ? QosDecision.TYPE_ID : QosMonitoring.TYPE_ID, calls == 0 ? (QosDecision) question -> {
                    throw new Stopped();
                } : new StoppedMonitoring(new Stopped()));
                assertThatThrownBy(() -> node.harness.advance(Duration.ofSeconds(2))).isInstanceOf(Stopped.class);
                node.harness.partner(QosMonitoring.TYPE_ID, node.monitoring).partner(QosDecision.TYPE_ID, node.decision);
                node.decision.className = calls == 0 ? "AF-TCP" : "EF";
                node.harness.advance(Duration.ofSeconds(2));
                assertThat(stream.toDestination(DATA).marks()).containsExactly(calls == 0 ? 10 : 46);
            }
        }
    }

    /** Stops the task in which it is told of a segment. */
    private record StoppedMonitoring(Error how) implements QosMonitoring {
        @Override
        public void watch(Segment segment, Collection<QosClass> classes) {
            throw how;
        }

        @Override
        public Map<String, ClassSample> samples(Segment segment) {
            return Map.of();
        }

        @Override
        public void carried(Segment segment, String className, long octets, long nanos, boolean limited) {
            // Nothing is made of it.
        }
    }

    @Test
    void aScheduleThatStartsUnderAStreamIsFollowed() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            String level = "{\"objectives\": {\"delay\": \"low\"}, \"schedule\": {\"start\": \"%s\"}}";
            long code = path.open(level.formatted(Instant.now().plusSeconds(3600)));
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(0);
            assertThat(node.harness.metrics().value("out_of_time_packets")).isEqualTo(1);
            assertThat(path.ask(Op.MODIFY, code, level.formatted(Instant.now().minusSeconds(1))).code()).isNull();

            assertThat(stream.toDestination(DATA).marks()).as("its time has come").containsExactly(46);
        }
    }

    @Test
    void aSessionThatBecomesOneOfDatagramsDropsNothingOfAStreamOverTcp() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.enforcement.profile = 0;
            assertThat(path.ask(Op.MODIFY, code, "transport=udp,delay=low").code()).isNull();

            Outcome next = stream.toDestination(DATA);
            assertThat(next.verdict()).isSameAs(Verdict.PASS);
            assertThat(next.marks()).containsExactly(0);
        }
    }

    @Test
    void nothingOvertakesWhatWaitsOverTcp() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.enforcement.profile = 0;
            assertThat(stream.toDestination("a".getBytes(StandardCharsets.US_ASCII)).verdict()).isSameAs(Verdict.TAKEN);

            // In the same read as the one that waits: of a session that nobody knows, then of none.
            assertThat(stream.toDestination(Path.with(4711), "b".getBytes(StandardCharsets.US_ASCII)).onward()).isEmpty();
            assertThat(stream.toDestination("c".getBytes(StandardCharsets.US_ASCII)).onward()).isEmpty();
            assertThat(texts(stream.advance(Duration.ofSeconds(2)).toDestination())).containsExactly("a", "b", "c");
            assertThat(stream.isSourcePaused()).isFalse();
        }
    }

    @Test
    void aWaitIsNotLongerThanTheReasonForIt() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            FakePartners.Enforcement slow = node.enforcement;
            slow.waitNanos = Duration.ofHours(1).toNanos();
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            slow.profile = 0;
            assertThat(stream.toDestination("a".getBytes(StandardCharsets.US_ASCII)).verdict()).isSameAs(Verdict.TAKEN);
            path.ask(Op.RELEASE, code, null);

            assertThat(texts(stream.advance(Duration.ofSeconds(2)).toDestination())).as("an hour for a session that is gone").containsExactly("a");
        }
    }

    @Test
    void datagramsThatWaitAreBoundedInNumber() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("{\"flow\": {\"transport\": \"udp\"}, \"objectives\": {\"delay\": \"low\"}, \"excess\": \"shape:10000ms\"}");
            StreamHarness stream = node.open(Transport.UDP, Path.DESTINATION);
            node.enforcement.profile = 0;
            for (int i = 0; i < 4096; i++) {
                assertThat(stream.toDestination(Path.with(code), DATA).verdict()).isSameAs(Verdict.TAKEN);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(stream.toDestination(Path.with(code), DATA).verdict().isDrop()).isTrue();
            }
            assertThat(node.harness.metrics().value("dropped_packets")).isEqualTo(10);
        }
    }

    @Test
    void datagramsThatWaitAreBoundedInOctets() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("{\"flow\": {\"transport\": \"udp\"}, \"objectives\": {\"delay\": \"low\"}, \"excess\": \"shape:10000ms\"}");
            StreamHarness stream = node.open(Transport.UDP, Path.DESTINATION);
            node.enforcement.profile = 0;
            byte[] large = new byte[60_000];
            int refused = 0;
            for (int i = 0; i < 100; i++) {
                refused += stream.toDestination(Path.with(code), large).verdict().isDrop() ? 1 : 0;
            }
            assertThat(stream.octetsHeld()).isLessThan(5L << 20);
            assertThat(refused).isBetween(25, 35);
            assertThat(node.harness.metrics().value("dropped_packets")).isEqualTo(refused);
        }
    }

    @Test
    void whoStopsGivesBackItsShares() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low,traffic=1000000");
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(code), DATA);
            assertThat(node.enforcement.allocated()).containsEntry("EF", 1_000_000L);

            node.service.stop();
            assertThat(node.enforcement.shares).isEmpty();
        }
    }

    @Test
    void aVersionThatHandsOverOpensNothingThatTheNextOneWouldNotHave() throws Exception {
        try (Path path = new Path(1)) {
            Path.Node node = path.nodes.get(0);
            long before = path.open("delay=low");
            Qosinus old = node.service;
            assertThat(old.handOver()).isNotEmpty();
            assertThat(path.ask(Op.OPEN, 0, "delay=low").code()).isEqualTo(ErrorCode.BUSY);
            assertThat(path.ask(Op.RELEASE, before, null).code()).isEqualTo(ErrorCode.BUSY);
            assertThat(node.sessions()).isEqualTo(1);

            // No other version comes: new streams still get this one.
            node.harness.advance(Duration.ofSeconds(61));
            node.open(Transport.UDP, Path.DESTINATION);
            assertThat(path.ask(Op.OPEN, 0, "delay=low").code()).isNull();
        }
    }

    @Test
    void theNextVersionHasWhatTheOneBeforeWasStillWriting() throws Exception {
        try (Path path = new Path(1)) {
            Path.Node node = path.nodes.get(0);
            try (ServiceHarness next = ServiceHarness.of(new Qosinus(), Map.of()).store(node.harness.store()).inherited(Map.of("sessions", 0)).start()) {
                long late = path.open("delay=low");
                next.advance(Duration.ofSeconds(2));
                assertThat(next.inspect("session", Map.of("code", Messages.hex(late)))).isNotNull();
            }
        }
    }

    @Test
    void manySessionsDoNotKeepTheServiceFromStarting() throws Exception {
        try (Path path = new Path(1)) {
            RecordedStore store = path.nodes.get(0).harness.store();
            String first = Messages.hex(path.open("delay=low"));
            String kept = new String(store.all().get(first), StandardCharsets.UTF_8);
            for (int i = 1; i <= 12_000; i++) {
                store.put(Messages.hex(i), kept.replace(first, Messages.hex(i)).getBytes(StandardCharsets.UTF_8));
            }
            path.nodes.get(0).harness.advance(Duration.ofMillis(100));
            try (ServiceHarness next = ServiceHarness.of(new Qosinus(), Map.of("ef", "60mbit")).store(store).start()) {
                assertThat((Integer) next.inspect("sessions", Map.of()).get("stored")).isEqualTo(10_000);
                next.advance(Duration.ofMillis(100));
                assertThat((Integer) next.inspect("sessions", Map.of()).get("stored")).isEqualTo(12_001);
            }
        }
    }

    @Test
    void aMappedAddressIsOneOfIpv4() throws Exception {
        try (Path path = new Path(1)) {
            String flow = "{\"op\": \"open\", \"request\": \"%d\", \"path\": [], \"level\": {\"flow\": {\"destination\": \"::ffff:%s\"}}}";
            assertThat(path.askText(flow.formatted(7, "10.2.0.7")).code()).isNull();
            assertThat(path.askText(flow.formatted(8, "10.2.0.0/112")).code()).isNull();
            assertThat(path.askText(flow.formatted(9, "10.3.0.7")).code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"schedule\": {\"start\": \"+1000000000-12-31T23:59:59Z\"}}", "{\"schedule\": {\"stop\": \"+1000000000-12-31T23:59:59Z\"}}",
            "{\"schedule\": {\"start\": \"-1000000000-01-01T00:00:00Z\"}}"})
    void timesBeyondEveryClockAreRefused(String level) throws Exception {
        try (Path path = new Path(1)) {
            String request = "{\"op\": \"open\", \"request\": \"7\", \"path\": [], \"level\": " + level + "}";
            Answer answer = path.askText(request);
            assertThat(answer.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
            assertThat(answer.text()).contains("schedule.st");
        }
    }
}
