package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.StreamHarness;

/** What becomes of the packets of a session. */
class QosStreamTest {
    private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);

    @Test
    void aStreamOverTcpGetsTheClassOfItsSessionAndItsNextOneToo() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low,traffic=1000000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);

            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(46);
            assertThat(stream.toDestination(DATA).marks()).as("later packets inherit").containsExactly(46);
            assertThat(node.enforcement.allocated()).containsExactly(Map.entry("EF", 1_000_000L));
            assertThat(node.decision.asked.rate()).isEqualTo(1_000_000);

            node.decision.className = "AF-TCP";
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(10);
            assertThat(node.enforcement.allocated()).containsExactly(Map.entry("AF-TCP", 1_000_000L));
            assertThat(path.shown(code).get("events").toString()).contains("EF -> AF-TCP: the test wants it");
        }
    }

    /** A socket that is full of what its old class does not carry takes no packet which could bring the mark of the new one. */
    @Test
    void aStreamThatIsStarvedIsMarkedWithoutAPacket() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low,traffic=1000000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            StreamHarness other = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            other.toDestination(new PacketOptions().stream(6, 0), DATA);
            assertThat(stream.markToDestination()).isEqualTo(46);

            node.decision.className = "AF-TCP";
            node.harness.advance(Duration.ofSeconds(2));

            assertThat(stream.markToDestination()).isEqualTo(10);
            assertThat(other.markToDestination()).as("a stream of nobody's session").isZero();
        }
    }

    /** Only a flow that has more to send shows what its class gives: the source, the network or its share holds it back. */
    @Test
    void theMonitoringIsToldWhatHoldsAFlowBack() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("traffic=10000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.harness.advance(Duration.ofMillis(1100));
            node.monitoring.carried.clear();
            stream.toDestination(DATA);
            node.harness.advance(Duration.ofSeconds(1));
            stream.toDestination(new byte[9500]);
            node.harness.advance(Duration.ofSeconds(1));
            stream.writable(false);
            stream.toDestination(DATA);
            node.harness.advance(Duration.ofSeconds(1));
            node.harness.advance(Duration.ofSeconds(2));
            stream.writable(true);
            node.harness.advance(Duration.ofSeconds(2));

            assertThat(node.monitoring.carried).extracting(FakePartners.Monitoring.Carried::by).containsExactly(HeldBack.SOURCE, HeldBack.PROFILE,
                    HeldBack.NETWORK, HeldBack.SOURCE, HeldBack.NETWORK, HeldBack.NETWORK, HeldBack.SOURCE);
            assertThat(node.monitoring.carried.get(4).octets()).as("it carried nothing, and could not").isZero();
            long flow = node.monitoring.carried.get(0).flow();
            stream.toDestination(DATA);
            path.ask(new Request(Op.MODIFY, 77, code, LevelReader.read("traffic=20000"), 4000, List.of()));
            node.harness.advance(Duration.ofSeconds(1));
            assertThat(node.monitoring.carried.get(7).flow()).as("with another share").isNotEqualTo(flow);
        }
    }

    @Test
    void whatHasNoSessionGoesAsBestEffortAndIsCounted() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("transport=udp,delay=low");
            StreamHarness stranger = node.open(Transport.UDP, Path.DESTINATION);
            assertThat(stranger.toDestination(Path.with(4711), DATA).marks()).containsExactly(0);
            assertThat(stranger.toDestination(new PacketOptions().stream(5, 1), DATA).marks()).containsExactly(0);

            StreamHarness elsewhere = node.open(Transport.UDP, new InetSocketAddress("10.9.9.9", 7000));
            Outcome foreign = elsewhere.toDestination(Path.with(code), DATA);

            assertThat(foreign.verdict()).isSameAs(Verdict.PASS);
            assertThat(foreign.marks()).containsExactly(0);
            assertThat(node.harness.metrics().value("unknown_packets")).isEqualTo(1);
            assertThat(node.harness.metrics().value("unmarked_packets")).isEqualTo(1);
            assertThat(node.harness.metrics().value("foreign_packets")).isPositive();
            assertThat(node.enforcement.allocated()).isEmpty();
        }
    }

    @Test
    void aFlowOfDatagramsIsLeftToARuleThatHoldsItToItsHosts() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("transport=udp,delay=low");
            StreamHarness stream = node.open(Transport.UDP, Path.DESTINATION);
            assertThat(node.harness.rules().all()).as("a session that carries nothing needs no rule").isEmpty();
            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(46);

            LightRule rule = node.harness.rules().all().get(0);
            assertThat(rule.match().session()).isEqualTo(code);
            assertThat(rule.match().source().toString()).isEqualTo("10.1.0.5/32");
            assertThat(rule.match().destination().toString()).isEqualTo("10.2.0.7/32");
            assertThat(rule.actions()).containsExactly(Action.count(), Action.dscp(46), Action.forward());

            node.harness.advance(Duration.ofSeconds(15));
            assertThat(node.harness.rules().all()).as("after a quiet time").isEmpty();
            assertThat(node.enforcement.allocated()).isEmpty();
        }
    }

    @Test
    void aStreamOverTcpThatSendsTooMuchIsSlowedDownAndLosesNothing() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.enforcement.profile = 0;

            assertThat(stream.toDestination("a".getBytes(StandardCharsets.US_ASCII)).verdict()).isSameAs(Verdict.TAKEN);
            assertThat(stream.isSourcePaused()).isTrue();
            assertThat(stream.toDestination("b".getBytes(StandardCharsets.US_ASCII)).verdict()).isSameAs(Verdict.TAKEN);
            stream.end();
            assertThat(stream.hasEnded()).isFalse();
            assertThat(stream.advance(Duration.ofMillis(3)).toDestination()).isEmpty();

            node.enforcement.profile = Long.MAX_VALUE;
            assertThat(stream.advance(Duration.ofMillis(3)).toDestination())
                    .extracting(packet -> packet.payload().toString(StandardCharsets.US_ASCII)).containsExactly("a", "b");
            assertThat(stream.isSourcePaused()).isFalse();
            assertThat(stream.hasEnded()).isTrue();
        }
    }

    @Test
    void datagramsOverTheProfileAreDroppedWithAReason() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            node.enforcement.rules = false;
            long code = path.open("transport=udp,delay=low");
            StreamHarness stream = node.open(Transport.UDP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.enforcement.profile = 0;

            Outcome over = stream.toDestination(Path.with(code), DATA);
            assertThat(over.verdict().isDrop()).isTrue();
            assertThat(over.verdict().reason()).isEqualTo("over-profile");
            assertThat(node.harness.metrics().value("dropped_packets")).isEqualTo(1);
        }
    }

    @Test
    void partnersAreReplacedWhileAStreamFlows() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low,traffic=1000000");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(46);

            FakePartners.Enforcement another = new FakePartners.Enforcement();
            node.harness.partner(QosEnforcement.TYPE_ID, another).partner(QosDecision.TYPE_ID, new FakePartners.Decision("BE"));
            assertThat(stream.toDestination(DATA).marks()).as("until the next period nothing changes").containsExactly(46);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(0);

            node.harness.partner(QosDecision.TYPE_ID, new FakePartners.Decision("EF"));
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(46);
            assertThat(another.allocated()).containsEntry("EF", 1_000_000L);
        }
    }

    @Test
    void withoutItsPartnersAFlowGoesAsBestEffortAndSaysWhy() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            node.harness.partner(QosDecision.TYPE_ID, null);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);

            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(0);
            assertThat(path.shown(code).get("reason").toString()).contains("qos-decision is not there yet").contains("EE-809");

            node.harness.partner(QosDecision.TYPE_ID, (QosDecision) question -> {
                throw new IllegalStateException("a defect");
            });
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(0);
            assertThat(node.harness.metrics().value("partner_failed")).isPositive();

            node.harness.partner(QosDecision.TYPE_ID, new FakePartners.Decision("EF"));
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.toDestination(DATA).marks()).containsExactly(46);
        }
    }

    @Test
    void aClassThatIsTakenAwayIsLeftAtOnce() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(46);

            assertThat(node.harness.reconfigure(Map.of("af-tcp", "40mbit"))).isTrue();

            assertThat(stream.toDestination(DATA).marks()).containsExactly(0);
            assertThat(path.shown(code).get("reason").toString()).contains("the class EF is not there any more (EE-812)");
            assertThat(path.shown(code).get("state")).isEqualTo("degraded");
        }
    }

    @Test
    void whatDoesNotFitIntoAClassGoesAsBestEffortAndIsAnEvent() throws Exception {
        try (Path path = new Path(2, Map.of("ef", "10mbit"))) {
            Path.Node node = path.nodes.get(0);
            long first = path.open("delay=low,traffic=1000000");
            long second = path.open("delay=low,traffic=1000000");
            node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(first), DATA);

            ListAppender<ILoggingEvent> log = new ListAppender<>();
            log.start();
            Logger logger = (Logger) LoggerFactory.getLogger("tamanoir.service.qosinus");
            logger.addAppender(log);
            assertThat(node.open(Transport.TCP, Path.DESTINATION).toDestination(Path.with(second), DATA).marks()).containsExactly(0);
            logger.detachAppender(log);
            assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).singleElement().asString()
                    .startsWith("EE-808 session " + Messages.hex(second));
            assertThat(path.shown(second).get("events").toString()).contains("degraded").contains("its share of EF is taken by others");
            assertThat(node.harness.metrics().value("degraded")).isEqualTo(1);
        }
    }

    @Test
    void whatTheDecisionCallsDegradedIsAnEventOnceAndItsEndIsOne() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open("delay=low");
            node.decision.state = State.DEGRADED;
            StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
            stream.toDestination(Path.with(code), DATA);
            node.harness.advance(Duration.ofSeconds(5));
            assertThat(node.harness.metrics().value("degraded")).isEqualTo(1);

            node.decision.state = State.MET;
            stream.toDestination(DATA);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(path.shown(code).get("events").toString()).contains("recovered");
        }
    }

    @Test
    void theMonitoringIsToldWhichSegmentsMatter() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node node = path.nodes.get(0);
            path.open("delay=low");
            node.harness.advance(Duration.ofSeconds(2));

            assertThat(node.monitoring.watched).singleElement().extracting(segment -> segment.reflector().toString())
                    .isEqualTo("/10.0.1.1:862");
            assertThat(path.nodes.get(1).monitoring.watched).isEmpty();
            FakePartners.Monitoring another = new FakePartners.Monitoring();
            node.harness.partner(QosMonitoring.TYPE_ID, another);
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(another.watched).hasSize(1);
        }
    }
}
