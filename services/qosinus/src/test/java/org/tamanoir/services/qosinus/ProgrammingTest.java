package org.tamanoir.services.qosinus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.qos.wire.Messages.Stop;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Transport;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** The programming phase over several nodes. */
class ProgrammingTest {
    private long number;

    private Request open(String level) {
        return new Request(Op.OPEN, ++number, 0, LevelReader.read(level), 4000, List.of());
    }

    private Request of(Op op, long session, String level) {
        return new Request(op, ++number, session, level == null ? null : LevelReader.read(level), 4000, List.of());
    }

    private static Map<String, Object> shown(Path.Node node, long session) {
        return node.harness.inspect("session", Map.of("code", Messages.hex(session)));
    }

    @Test
    void everyNodeOnThePathStoresTheSessionUnderTheSameCode() throws Exception {
        try (Path path = new Path(3)) {
            Answer answer = path.ask(open("delay=low"));

            assertThat(answer.code()).isNull();
            assertThat(answer.session()).isNotZero();
            assertThat(answer.path()).extracting(Stop::node).containsExactly("00000000000000a0", "00000000000000a1", "00000000000000a2");
            for (Path.Node node : path.nodes) {
                assertThat(shown(node, answer.session())).extracting("owner").isEqualTo(node.from().getAddress().getHostAddress());
                assertThat(node.harness.store().all()).containsOnlyKeys(Messages.hex(answer.session()));
            }
            // Each measures the way to the next, where its packets go, and the last one nothing.
            assertThat(shown(path.nodes.get(0), answer.session()).get("segment")).isEqualTo("00000000000000a1 by 10.0.1.1:862");
            assertThat(shown(path.nodes.get(1), answer.session()).get("segment")).isEqualTo("00000000000000a2 by 10.0.2.1:862");
            assertThat(shown(path.nodes.get(2), answer.session()).get("segment")).isNull();
        }
    }

    @Test
    void aRepeatedRequestGetsTheSameSession() throws Exception {
        try (Path path = new Path(2)) {
            Request request = open("delay=low");
            path.nodes.get(1).silent = true;
            assertThat(path.ask(request)).as("the second node has lost the first copy").isNull();
            path.nodes.get(1).silent = false;

            Answer answer = path.ask(request);
            Answer again = path.ask(request);

            assertThat(answer.code()).isNull();
            assertThat(again).isEqualTo(answer);
            assertThat(path.nodes).allSatisfy(node -> assertThat(node.sessions()).isEqualTo(1));
        }
    }

    /** Between the answer from behind and the disk's there is time for another copy of both. */
    @Test
    void copiesThatComeWhileTheSessionIsBeingKeptChangeNothing() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node first = path.nodes.get(0);
            Request request = open("delay=low");
            Packet copy = Path.packet(request);
            first.requests = first.open(Transport.UDP, Path.DESTINATION);
            Packet passed = first.requests.toDestination(copy).only();
            Answer behind = new Answer(request.number(), Messages.request(passed.payload()).session(), null, "",
                    List.of(new Stop("00000000000000a1", new InetSocketAddress("10.0.1.1", 3322), null, 14)));

            assertThat(first.requests.toSource(Path.packet(behind)).onward()).isEmpty();
            assertThat(first.requests.toSource(Path.packet(behind)).onward()).isEmpty();
            assertThat(first.requests.toDestination(copy).onward()).isEmpty();

            assertThat(first.requests.advance(Duration.ofSeconds(1)).toSource()).singleElement()
                    .satisfies(packet -> assertThat(Messages.answer(packet.payload()).path()).hasSize(2));
            assertThat(first.sessions()).isEqualTo(1);
        }
    }

    @Test
    void nobodyAnswersBeforeTheSessionIsKept() throws Exception {
        try (Path path = new Path(2)) {
            path.nodes.get(1).harness.failStore(true);
            Answer answer = path.ask(open("delay=low"), Duration.ofSeconds(5));

            assertThat(answer.code()).isEqualTo(ErrorCode.PARTIAL_PATH);
            assertThat(answer.text()).contains("EE-813");
            assertThat(answer.path()).extracting(Stop::node).containsExactly("00000000000000a0");
        }
    }

    @Test
    void aPathThatEndsInSilenceIsPartial() throws Exception {
        try (Path path = new Path(3)) {
            path.nodes.get(2).silent = true;
            Answer answer = path.ask(open("delay=low"), Duration.ofSeconds(5));

            assertThat(answer.code()).isEqualTo(ErrorCode.PARTIAL_PATH);
            assertThat(answer.path()).extracting(Stop::node).containsExactly("00000000000000a0", "00000000000000a1");
            assertThat(answer.text()).contains("no node behind 00000000000000a1");
        }
    }

    @Test
    void aNodeWithoutQosinusInBetweenIsSeenByItsHop() throws Exception {
        try (Path path = new Path(2)) {
            path.hops.put(0, 3);
            path.peers.add(InetAddress.getByName("10.0.1.1"));
            Answer answer = path.ask(open("delay=low"));

            assertThat(answer.code()).isEqualTo(ErrorCode.PARTIAL_PATH);
            assertThat(answer.text()).contains("2 nodes between them without QoSinus");
            assertThat(answer.path()).hasSize(2);
            assertThat(shown(path.nodes.get(0), answer.session()).get("segment")).isEqualTo("00000000000000a1 by 10.0.1.1:862");
        }
    }

    /** What a node says of its place would aim measurement trains at anybody. */
    @Test
    void nobodyIsMeasuredWhereAnAnswerSaysUnlessItIsAPeer() throws Exception {
        try (Path path = new Path(2)) {
            path.hops.put(0, 3);
            path.peers.add(InetAddress.getByName("10.0.9.9"));
            Answer answer = path.ask(open("delay=low"));

            assertThat(answer.path()).hasSize(2);
            assertThat(shown(path.nodes.get(0), answer.session()).get("segment")).isNull();
        }
    }

    @Test
    void aModifiedLevelIsInForceEverywhereAndAReleasedSessionNowhere() throws Exception {
        try (Path path = new Path(2)) {
            long code = path.ask(open("delay=low")).session();

            assertThat(path.ask(of(Op.MODIFY, code, "minRateMbps=40")).code()).isNull();
            for (Path.Node node : path.nodes) {
                assertThat(shown(node, code).get("level").toString()).contains("minRateMbps=40");
                assertThat(new String(node.harness.store().all().get(Messages.hex(code)))).contains("minRateMbps");
            }
            assertThat(path.ask(of(Op.RELEASE, code, null)).code()).isNull();
            assertThat(path.nodes).allSatisfy(node -> assertThat(node.sessions()).isZero());
            assertThat(path.nodes).allSatisfy(node -> assertThat(node.harness.store().all()).isEmpty());
            assertThat(path.ask(of(Op.RELEASE, code, null)).code()).isEqualTo(ErrorCode.NO_QOS_SESSION);
            assertThat(path.ask(of(Op.MODIFY, code, "delay=low")).code()).isEqualTo(ErrorCode.NO_QOS_SESSION);
        }
    }

    @Test
    void sessionsSurviveARestart() throws Exception {
        RecordedStore kept;
        long code;
        try (Path path = new Path(2)) {
            code = path.ask(open("{\"flow\": {\"destinationPort\": 7000}, \"objectives\": {\"maxDelayMs\": 5}}")).session();
            kept = path.nodes.get(0).harness.store();
            kept.crash();
        }
        try (ServiceHarness again = ServiceHarness.of(new Qosinus(), Map.of("ef", "60mbit")).store(kept).start()) {
            Map<String, Object> shown = again.inspect("session", Map.of("code", Messages.hex(code)));
            assertThat(shown.get("level").toString()).contains("maxDelayMs=5.0").contains("destinationPort=7000");
            assertThat(shown.get("segment")).isEqualTo("00000000000000a1 by 10.0.1.1:862");
        }
    }

    @Test
    void whatIsKeptAndCannotBeReadCostsThatSessionAlone() throws Exception {
        RecordedStore kept;
        long code;
        try (Path path = new Path(2)) {
            code = path.ask(open("delay=low")).session();
            kept = path.nodes.get(0).harness.store();
            kept.put("00000000000000ff", "{\"owner\": 3".getBytes());
            path.nodes.get(0).harness.advance(Duration.ofSeconds(1));
        }
        try (ServiceHarness again = ServiceHarness.of(new Qosinus(), Map.of()).store(kept).start()) {
            assertThat(again.inspect("sessions", Map.of()).get("stored")).isEqualTo(1);
            assertThat(again.inspect("session", Map.of("code", Messages.hex(code)))).isNotNull();
        }
    }

    @Test
    void whoMayNotOpenSessionsIsToldSo() throws Exception {
        try (Path path = new Path(1, Map.of("allow", "10.9.0.0/16"))) {
            assertThat(path.ask(open("delay=low")).code()).isEqualTo(ErrorCode.QOS_NOT_ALLOWED);
        }
        try (Path path = new Path(1, Map.of("allow", "10.9.0.0/16, 10.1.0.0/24"))) {
            assertThat(path.ask(open("delay=low")).code()).isNull();
        }
    }

    @Test
    void aSourceGetsSoManySessionsAndNoMore() throws Exception {
        try (Path path = new Path(1, Map.of("sessions-per-source", 2))) {
            path.ask(open("delay=low"));
            path.ask(open("delay=low"));
            Answer third = path.ask(open("delay=low"));

            assertThat(third.code()).isEqualTo(ErrorCode.TOO_MANY_SESSIONS);
            assertThat(third.text()).contains("10.1.0.5 holds 2 sessions");
            assertThat(path.nodes.get(0).sessions()).isEqualTo(2);
        }
    }

    /** A path would make whoever writes it a node: with half of the table for its quota, and sessions of its own choice. */
    @Test
    void aPathOfWhoIsNoPeerIsNotBelieved() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node first = path.nodes.get(0);
            StreamHarness requests = first.open(Transport.UDP, Path.DESTINATION);
            List<Stop> forged = List.of(new Stop("00000000000000a0", new InetSocketAddress("10.0.0.1", 3322), null, 15));
            requests.toDestination(Path.packet(new Request(Op.OPEN, 100, 7, LevelReader.read("delay=low"), 4000, forged)));
            assertThat(requests.advance(Duration.ofSeconds(1)).toSource()).singleElement()
                    .satisfies(packet -> assertThat(Messages.answer(packet.payload()).code()).isEqualTo(ErrorCode.QOS_NOT_ALLOWED));
            assertThat(first.sessions()).isZero();
        }
    }

    @Test
    void anErrorOfSomebodyWhoDoesNotKnowTheSessionIsIgnored() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node first = path.nodes.get(0);
            Request request = open("delay=low");
            StreamHarness requests = first.open(Transport.UDP, Path.DESTINATION);
            requests.toDestination(Path.packet(request));
            Answer forged = new Answer(request.number(), 0, ErrorCode.BAD_SERVICE_LEVEL, "no", List.of());
            assertThat(requests.toSource(Path.packet(forged)).onward()).isEmpty();
            assertThat(requests.advance(Duration.ofSeconds(1)).toSource()).as("the request still waits for its answer").isEmpty();
        }
    }

    /**
     * A node of before a field of the level was there refuses the whole request, without the code, which it has not read: as from anybody else
     * who does not know the code, that is no answer. The first node's own refusal is told.
     */
    @Test
    void aNodeThatDoesNotKnowAFieldCountsAsOneThatDoesNotAnswer() throws Exception {
        try (Path path = new Path(2)) {
            Path.Node first = path.nodes.get(0);
            Request request = open("size=1000000,within=10s");
            StreamHarness requests = first.open(Transport.UDP, Path.DESTINATION);
            requests.toDestination(Path.packet(request));
            Answer older = new Answer(request.number(), 0, ErrorCode.BAD_SERVICE_LEVEL, "objectives.size is not known", List.of());
            assertThat(requests.toSource(Path.packet(older)).onward()).isEmpty();

            assertThat(requests.advance(Duration.ofSeconds(5)).toSource()).singleElement()
                    .satisfies(packet -> assertThat(Messages.answer(packet.payload()).code()).isEqualTo(ErrorCode.PARTIAL_PATH));
            assertThat(first.sessions()).isEqualTo(1);
            Answer told = path.askText("{\"op\":\"open\",\"request\":\"63\",\"level\":{\"objectives\":{\"sizes\":1}},\"path\":[]}");
            assertThat(told.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
            assertThat(told.text()).contains("objectives.sizes is not known");
        }
    }

    @Test
    void behindTheFirstNodeTheOneBeforeSpeaksForManySources() throws Exception {
        try (Path path = new Path(2, Map.of("sessions-per-source", 2, "sessions", 8))) {
            Path.Node last = path.nodes.get(1);
            List<Stop> before = List.of(new Stop("00000000000000a0", new InetSocketAddress("10.0.0.1", 3322), null, 15));
            StreamHarness requests = last.open(Transport.UDP, Path.DESTINATION);
            for (long code = 1; code <= 5; code++) {
                requests.toDestination(Path.packet(new Request(Op.OPEN, 100 + code, code, LevelReader.read("delay=low"), 4000, before)));
                requests.advance(Duration.ofSeconds(1));
            }
            assertThat(last.sessions()).as("half of what the node may hold").isEqualTo(4);
        }
    }

    @Test
    void twoSessionsForOneFlowAreOneTooMany() throws Exception {
        String flow = "{\"flow\": {\"sourcePort\": 4000, \"destinationPort\": 7000}, \"objectives\": {\"delay\": \"low\"}}";
        try (Path path = new Path(2)) {
            long code = path.ask(open(flow)).session();

            assertThat(path.ask(open(flow)).code()).isEqualTo(ErrorCode.DUPLICATE_FLOW);
            assertThat(path.ask(open(flow.replace("4000", "4001"))).code()).isNull();
            path.ask(of(Op.RELEASE, code, null));
            assertThat(path.ask(open(flow)).code()).isNull();
        }
    }

    @Test
    void aLevelThatOnlyTheLastNodeCanRefuseIsRefusedEverywhere() throws Exception {
        try (Path path = new Path(2)) {
            Answer answer = path.ask(open("{\"scope\": {\"egress\": [\"00000000000000bb\"]}}"));

            assertThat(answer.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
            assertThat(answer.text()).contains("scope.egress does not name 00000000000000a1");
            assertThat(path.nodes).allSatisfy(node -> assertThat(node.sessions()).isZero());
        }
    }

    @Test
    void anIdleSessionIsForgottenAndOneWhoseTimeIsOverToo() throws Exception {
        try (Path path = new Path(1, Map.of("idle", "2s"))) {
            path.ask(open("delay=low"));
            path.ask(open("{\"schedule\": {\"stop\": \"" + Instant.now().plusSeconds(3600) + "\"}}"));
            assertThat(path.ask(open("{\"schedule\": {\"stop\": \"2020-01-01T00:00:00Z\"}}")).text()).contains("schedule.stop");
            path.nodes.get(0).harness.advance(Duration.ofSeconds(1));
            assertThat(path.nodes.get(0).sessions()).isEqualTo(2);
            path.nodes.get(0).harness.advance(Duration.ofSeconds(3));

            assertThat(path.nodes.get(0).sessions()).isZero();
            assertThat(path.nodes.get(0).harness.store().all()).isEmpty();
            assertThat(path.nodes.get(0).harness.metrics().value("sessions_expired")).isEqualTo(2);
        }
    }

    @Test
    void aHundredThousandSessionsAreBoundedAndTheNextIsRefused() throws Exception {
        Request request = open("delay=low");
        SessionTable table = new SessionTable(Settings.of(new MapConfiguration("options", Map.of("sessions", 100_000,
                "sessions-per-source", 200_000))));
        long before = used();
        for (int i = 0; i < 100_000; i++) {
            table.put(new Session(table.newCode(), InetAddress.getByName("10.1." + (i >> 8 & 0xFF) + "." + (i & 0xFF)), i, true, 0,
                    request.level(), List.of(), null, 0));
        }
        assertThat(table.size()).isEqualTo(100_000);
        assertThat(used() - before).as("octets of 100,000 sessions").isLessThan(100_000 * 2048L);
        InetAddress another = InetAddress.getByName("10.7.0.1");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> table.check(another, request.level().flow(), true))
                .extracting(AnepException::code).isEqualTo(ErrorCode.TOO_MANY_SESSIONS);
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
