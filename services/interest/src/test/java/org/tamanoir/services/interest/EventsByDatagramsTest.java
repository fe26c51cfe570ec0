package org.tamanoir.services.interest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.FrameReader;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.testkit.RecordedConnections.Opened;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

/** Programs that publish by datagrams, and the rules that the service puts for what nobody wants of them. */
class EventsByDatagramsTest {
    private static final InetSocketAddress ROOT = new InetSocketAddress("10.0.0.1", 3322);
    private static final long CODES = TopicGroups.space(ROOT);
    private static final Duration SOON = Duration.ofMillis(1100);

    private final List<ServiceHarness> started = new ArrayList<>();

    private ServiceHarness node(Map<String, ?> options) throws Exception {
        ServiceHarness harness = ServiceHarness.start(new Interest(), options);
        started.add(harness);
        return harness;
    }

    @AfterEach
    void stop() {
        started.forEach(ServiceHarness::close);
    }

    private static StreamHarness publisherAtRoot(ServiceHarness root) throws Exception {
        return root.stream(Position.ONLY).transport(Transport.UDP).destination(ROOT).endsHere().open();
    }

    private static StreamHarness publisher(ServiceHarness node) throws Exception {
        return node.stream(Position.INGRESS).transport(Transport.UDP).destination(ROOT).open();
    }

    private static StreamHarness programAtRoot(ServiceHarness root) throws Exception {
        return root.stream(Position.ONLY).destination(ROOT).endsHere().open();
    }

    private static void publish(StreamHarness by, long number, String topic, String... data) throws Exception {
        ByteBuf payload = Frames.numbered(Unpooled.buffer(), number);
        for (String each : data) {
            payload.writeBytes(EventView.frame(topic, EventView.JSON, each.getBytes(UTF_8)));
        }
        by.toDestination(new PacketOptions().qosSession(TopicGroups.code(CODES, TopicGroups.of(topic))), ByteBufUtil.getBytes(payload));
    }

    private static void say(StreamHarness stream, ByteBuf frame) throws Exception {
        stream.toDestination(ByteBufUtil.getBytes(frame));
    }

    private static List<String> told(StreamHarness stream) throws Exception {
        List<String> told = new ArrayList<>();
        FrameReader reader = new FrameReader(Frames.LONGEST);
        for (Packet packet : stream.advance(Duration.ZERO).toSource()) {
            reader.take(packet.payload(), (kind, in, body, end) -> {
                if (kind != Frames.PING) {
                    told.add(kind == Frames.EVENT ? new String(new EventView().wrap(in, body, end).dataOctets(), UTF_8) : kind == Frames.READY ? "ready" : "kind " + kind);
                }
            });
        }
        return told;
    }

    /** The groups that rules drop. */
    private static Set<Integer> dropped(ServiceHarness node) {
        return node.rules().all().stream().map(LightRule::match).map(match -> TopicGroups.group(match.session(), CODES)).collect(Collectors.toSet());
    }

    @Test
    void eventsOfDatagramsGoToThoseWhoWantThemOnceAndInOrder() throws Exception {
        ServiceHarness root = node(Map.of());
        StreamHarness subscriber = programAtRoot(root);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"a\",\"where\":\"data > 1\"}"));
        StreamHarness publisher = publisherAtRoot(root);
        publish(publisher, 0, "a", "1", "2");
        publish(publisher, 4, "a", "3");
        publish(publisher, 2, "a", "4", "5");
        publish(publisher, 4, "a", "3");
        publish(publisher, 0, "b", "6");
        assertThat(told(subscriber)).containsExactly("ready", "2", "3");
        assertThat(root.metrics().value("events", Map.of("what", "lost"))).isEqualTo(2);
        assertThat(root.metrics().value("events", Map.of("what", "late"))).isEqualTo(3);
        assertThat(told(publisher)).isEmpty();
    }

    @Test
    void whatNobodyWantsIsDroppedByRulesUntilSomebodyDoes() throws Exception {
        ServiceHarness root = node(Map.of());
        StreamHarness subscriber = programAtRoot(root);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"a\"}"));
        root.advance(SOON);
        assertThat(root.rules().all()).as("nobody publishes by datagrams").isEmpty();
        StreamHarness publisher = publisherAtRoot(root);
        root.advance(SOON);
        assertThat(dropped(root)).hasSize(TopicGroups.COUNT - 1).doesNotContain(TopicGroups.of("a"));
        assertThat(root.metrics().value("drop_rules")).isEqualTo(TopicGroups.COUNT - 1);
        assertThat(root.rules().all()).allSatisfy(rule -> assertThat(rule.match().typeId()).isEqualTo(0x540D));
        say(subscriber, Frames.subscribe(2, "{\"topic\":\"b\"}"));
        assertThat(dropped(root)).hasSize(TopicGroups.COUNT - 2).doesNotContain(TopicGroups.of("b"));
        say(subscriber, Frames.subscribe(3, "{\"topic\":\"s/#\"}"));
        assertThat(root.rules().all()).isEmpty();
        say(subscriber, Frames.numbered(Frames.UNSUBSCRIBE, 3));
        root.advance(SOON);
        assertThat(dropped(root)).hasSize(TopicGroups.COUNT - 2);
        publisher.close();
        root.advance(SOON);
        assertThat(dropped(root)).as("one whose datagrams are all dropped has not gone").hasSize(TopicGroups.COUNT - 2);
        root.advance(Duration.ofSeconds(70));
        assertThat(root.rules().all()).isEmpty();
    }

    /** A gap that the rule itself has made is no loss. */
    @Test
    void whatWasDroppedBelowIsNotLost() throws Exception {
        ServiceHarness root = node(Map.of());
        StreamHarness publisher = publisherAtRoot(root);
        publish(publisher, 0, "a", "1");
        root.advance(SOON);
        assertThat(dropped(root)).contains(TopicGroups.of("a"));
        StreamHarness subscriber = programAtRoot(root);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"a\"}"));
        publish(publisher, 1000, "a", "2");
        assertThat(told(subscriber)).containsExactly("ready", "2");
        assertThat(root.metrics().value("events", Map.of("what", "lost"))).isZero();
    }

    /** The rules follow what is known; a node that has not been told all drops nothing. */
    @Test
    void aNodeDropsNothingBeforeItIsToldAllThatIsWantedElsewhereOrWhenItHasLostTheRoot() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness publisher = publisher(leaf);
        publish(publisher, 0, "a", "1");
        leaf.advance(SOON);
        assertThat(leaf.rules().all()).isEmpty();
        Opened up = leaf.connections().only();
        up.accept();
        up.answer(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(Frames.path(new long[] {7}), Frames.subscribe(1, "{\"topic\":\"a\"}"))));
        leaf.advance(SOON);
        assertThat(leaf.rules().all()).isEmpty();
        up.answer(ByteBufUtil.getBytes(Frames.told()));
        leaf.advance(SOON);
        assertThat(new String(up.sent(), UTF_8)).as("what came before was kept").contains("a1");
        assertThat(dropped(leaf)).hasSize(TopicGroups.COUNT - 1).doesNotContain(TopicGroups.of("a"));
        up.fail(ErrorCode.CONNECTION_LOST);
        leaf.advance(Duration.ZERO);
        assertThat(leaf.rules().all()).isEmpty();
    }

    @Test
    void thereAreNoMoreRulesThanTheOperatorSays() throws Exception {
        ServiceHarness few = node(Map.of("drop-rules", 100));
        publisherAtRoot(few);
        few.advance(SOON);
        assertThat(few.rules().all()).isEmpty();
        assertThat(few.inspect("spaces", Map.of()).toString()).contains("drop-rules");
        ServiceHarness none = node(Map.of("drop-rules", 0));
        publisherAtRoot(none);
        none.advance(SOON);
        assertThat(none.rules().all()).isEmpty();
    }

    @Test
    void aDatagramThatIsNoneCostsItsStream() throws Exception {
        ServiceHarness root = node(Map.of());
        PacketOptions ofA = new PacketOptions().qosSession(TopicGroups.code(CODES, TopicGroups.of("a")));
        byte[] b = ByteBufUtil.getBytes(EventView.frame("b", EventView.JSON, new byte[] {'1'}));
        assertThatThrownBy(() -> publisherAtRoot(root).toDestination(ofA, b)).hasMessageContaining("EE-109").hasMessageContaining("group");
        assertThatThrownBy(() -> publisherAtRoot(root).toDestination(ByteBufUtil.getBytes(Frames.subscribe(1, "{\"topic\":\"#\"}")))).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> publisherAtRoot(root).toDestination(new byte[] {5, 0, 1, 0, 1})).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> publisherAtRoot(root).toDestination(new byte[] {10, 0, 0, 1, 1})).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> publish(publisherAtRoot(root), -1, "a", "1")).hasMessageContaining("EE-109");
        StreamHarness unnamed = publisherAtRoot(root);
        StreamHarness subscriber = programAtRoot(root);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"b\"}"));
        unnamed.toDestination(b);
        assertThat(told(subscriber)).as("without a session nothing is dropped, and all is taken").containsExactly("ready", "1");
    }

    /** Wrong: datagrams with made-up senders left no room for programs and nodes. */
    @Test
    void whoPublishesByDatagramsTakesNobodyElsesPlace() throws Exception {
        ServiceHarness root = node(Map.of("neighbours", 2));
        publisherAtRoot(root);
        publisherAtRoot(root);
        assertThatThrownBy(() -> publisherAtRoot(root)).hasMessageContaining("EE-309");
        StreamHarness subscriber = programAtRoot(root);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"a\"}"));
        assertThat(told(subscriber)).containsExactly("ready");
        programAtRoot(root);
        assertThatThrownBy(() -> programAtRoot(root)).hasMessageContaining("EE-309");
    }

    /** Wrong: one datagram to a root that nobody may reach held a place among the spaces for minutes. */
    @Test
    void whereItMayNotGoNoSpaceIsHeld() throws Exception {
        ServiceHarness leaf = node(Map.of("spaces", 1));
        leaf.connections().reaches(remote -> remote.host().equals("10.0.0.1"));
        for (int i = 2; i < 5; i++) {
            InetSocketAddress other = new InetSocketAddress("10.0.0." + i, 3322);
            StreamHarness refused = leaf.stream(Position.INGRESS).transport(Transport.UDP).destination(other).open();
            assertThatThrownBy(() -> publish(refused, 0, "a", "1")).hasMessageContaining("EE-216");
        }
        publisher(leaf);
        assertThat(leaf.inspect("spaces", Map.of()).toString()).contains("10.0.0.1:3322");
    }

    /** What was never dropped did not come; there is nothing to wait for. */
    @Test
    void aSpaceWithoutRulesEndsWithItsLastPublisher() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness publisher = publisher(leaf);
        leaf.advance(Duration.ZERO);
        publisher.close();
        leaf.advance(Duration.ofSeconds(6));
        assertThat((List<?>) leaf.inspect("spaces", Map.of()).get("spaces")).isEmpty();
    }

    @Test
    void whereTheOperatorLetsItNotGoThePublisherIsTold() throws Exception {
        ServiceHarness leaf = node(Map.of());
        leaf.connections().reaches(remote -> false);
        StreamHarness publisher = publisher(leaf);
        leaf.advance(Duration.ZERO);
        assertThatThrownBy(() -> publish(publisher, 0, "a", "1")).hasMessageContaining("EE-216");
    }
}
