package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** A session for what comes back too: each direction has a class of its own, measured and given by itself. */
class BothDirectionsTest {
    private static final byte[] DATA = new byte[100];
    private static final Map<String, Object> OPTIONS = Map.of("ef", "60mbit", "af-tcp", "40mbit", "reflectors", "10.1.0.0/16=10.1.0.1:862");
    private static final String LEVEL = "delay=low,traffic=1000000,directions=both";

    @Test
    void whatComesBackHasAClassOfItsOwn() throws Exception {
        try (Path path = new Path(3, OPTIONS)) {
            long code = path.open(LEVEL);
            for (Path.Node node : path.nodes.subList(0, 2)) {
                StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
                assertThat(stream.toSource(DATA).marks()).as("nobody has said the code").containsExactly(-1);
                assertThat(stream.toDestination(Path.with(code), DATA).marks()).containsExactly(46);
                node.decision.className = "AF-TCP";
                assertThat(stream.toSource(DATA).marks()).as("at node %d", node.number).containsExactly(10);
                assertThat(stream.toDestination(DATA).marks()).as("the way there is as it was").containsExactly(46);
                assertThat(node.enforcement.shares).containsOnlyKeys(code, ~code);
                assertThat(node.enforcement.allocated()).isEqualTo(Map.of("EF", 1_000_000L, "AF-TCP", 1_000_000L));
            }
            assertThat(path.shown(code)).containsEntry("class", "EF").extractingByKey("back").asString().contains("class=AF-TCP", "packets=1");
            assertThat(path.shown(code).get("events").toString()).contains("opened");
        }
    }

    /** Wrong: a node that measures the way back on the way there, or nowhere. */
    @Test
    void theWayBackIsMeasuredTowardTheSource() throws Exception {
        try (Path path = new Path(3, OPTIONS)) {
            path.open(LEVEL);
            path.nodes.forEach(node -> advance(node, Duration.ofSeconds(2)));
            assertThat(path.nodes.get(0).monitoring.watched).isEqualTo(Set.of(segment("00000000000000a1", "10.0.1.1"), segment("10.1.0.1:862", "10.1.0.1")));
            assertThat(path.nodes.get(1).monitoring.watched).isEqualTo(Set.of(segment("00000000000000a2", "10.0.2.1"), segment("00000000000000a0", "10.0.0.1")));
            assertThat(path.nodes.get(2).monitoring.watched).isEqualTo(Set.of(segment("00000000000000a1", "10.0.1.1")));
        }
    }

    @Test
    void whatIsOverItsProfileMakesTheDestinationWaitAndNotTheSource() throws Exception {
        try (Path path = new Path(2, OPTIONS)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open(LEVEL);
            StreamHarness stream = begun(node, code);
            node.enforcement.profile = 0;

            Outcome waits = stream.toSource(DATA);
            assertThat(waits.verdict()).isSameAs(Verdict.TAKEN);
            assertThat(waits.onward()).isEmpty();
            assertThat(stream.isDestinationPaused()).isTrue();
            assertThat(stream.isSourcePaused()).isFalse();
            stream.returnEnd();
            assertThat(stream.hasReturnEnded()).as("behind what waits").isFalse();

            node.enforcement.profile = Long.MAX_VALUE;
            assertThat(stream.advance(Duration.ofMillis(10)).toSource()).hasSize(1);
            assertThat(stream.isDestinationPaused()).isFalse();
            assertThat(stream.hasReturnEnded()).isTrue();
        }
    }

    @Test
    void aStarvedWayBackIsMarkedWithoutAPacketAndIsToldToTheMonitoring() throws Exception {
        try (Path path = new Path(2, OPTIONS)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open(LEVEL);
            StreamHarness stream = begun(node, code);
            stream.toSource(DATA);
            node.decision.className = "AF-TCP";
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(stream.markToSource()).isEqualTo(10);
            assertThat(node.monitoring.carried).extracting(FakePartners.Monitoring.Carried::flow).contains(31 * code + 1_000_000, 31 * ~code + 1_000_000);
        }
    }

    @Test
    void aSessionThatIsForOneWayFromNowOnGivesTheOtherBack() throws Exception {
        try (Path path = new Path(2, OPTIONS)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open(LEVEL);
            StreamHarness stream = begun(node, code);
            assertThat(stream.toSource(DATA).marks()).containsExactly(46);

            path.ask(Op.MODIFY, code, "delay=low,traffic=1000000");
            assertThat(node.enforcement.shares).containsOnlyKeys(code);
            assertThat(stream.toSource(DATA).marks()).as("others say the code point again").containsExactly(-1);
            assertThat(path.shown(code)).doesNotContainKey("back");

            path.ask(Op.MODIFY, code, LEVEL);
            assertThat(stream.toSource(DATA).marks()).containsExactly(46);
            path.ask(Op.RELEASE, code, null);
            assertThat(node.enforcement.shares).isEmpty();
            node.harness.advance(Duration.ofSeconds(2));
            node.monitoring.watched.clear();
            node.harness.advance(Duration.ofSeconds(2));
            assertThat(node.monitoring.watched).as("nothing is measured for it any more").isEmpty();
        }
    }

    /** Wrong: a session whose answers go on is forgotten because nothing is asked any more. */
    @Test
    void oneWayKeepsTheSessionAndEachRestsByItself() throws Exception {
        Map<String, Object> options = new HashMap<>(OPTIONS);
        options.put("quiet", "2s");
        options.put("idle", "10s");
        try (Path path = new Path(2, options)) {
            Path.Node node = path.nodes.get(0);
            long code = path.open(LEVEL);
            StreamHarness stream = begun(node, code);
            for (int i = 0; i < 30; i++) {
                stream.toSource(DATA);
                node.harness.advance(Duration.ofSeconds(1));
            }
            assertThat(node.enforcement.shares).as("nothing has gone there").containsOnlyKeys(~code);
            assertThat(node.sessions()).isEqualTo(1);
            node.harness.advance(Duration.ofSeconds(15));
            assertThat(node.sessions()).isZero();
            assertThat(node.enforcement.shares).isEmpty();
        }
    }

    @Test
    void itSurvivesARestart() throws Exception {
        RecordedStore kept;
        long code;
        try (Path path = new Path(2, OPTIONS)) {
            code = path.open(LEVEL);
            kept = path.nodes.get(1).harness.store();
            kept.crash();
        }
        try (ServiceHarness again = ServiceHarness.of(new Qosinus(), Map.of("ef", "60mbit")).store(kept).start()) {
            assertThat(again.inspect("session", Map.of("code", Messages.hex(code)))).extractingByKey("back").asString().contains("00000000000000a0 by 10.0.0.1:862");
        }
    }

    /** A stream of the session that has sent its first packet. */
    private static StreamHarness begun(Path.Node node, long code) throws Exception {
        StreamHarness stream = node.open(Transport.TCP, Path.DESTINATION);
        stream.toDestination(Path.with(code), DATA);
        return stream;
    }

    private static void advance(Path.Node node, Duration by) {
        try {
            node.harness.advance(by);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Segment segment(String egress, String host) {
        return new Segment(egress, new InetSocketAddress(host, 862));
    }
}
