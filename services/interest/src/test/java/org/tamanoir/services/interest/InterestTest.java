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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.FrameReader;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.connection.Connections.Remote;
import org.tamanoir.service.testkit.RecordedConnections.Opened;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

class InterestTest {
    private static final InetSocketAddress ROOT = new InetSocketAddress("10.0.0.1", 3322);
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

    /** What a neighbour was told, as names and numbers. */
    private static List<String> told(byte[] octets) {
        List<String> told = new ArrayList<>();
        new FrameReader(Frames.LONGEST).take(Unpooled.wrappedBuffer(octets), (kind, in, body, end) -> told.add(switch (kind) {
            case Frames.HELLO -> "hello";
            case Frames.SUBSCRIBE -> "subscribe " + in.getInt(body) + " " + in.toString(body + 4, end - body - 4, UTF_8);
            case Frames.UNSUBSCRIBE -> "unsubscribe " + in.getInt(body);
            case Frames.READY -> "ready " + in.getInt(body);
            case Frames.EVENT -> "event " + new String(new EventView().wrap(in, body, end).dataOctets(), UTF_8);
            case Frames.PATH -> "path " + (end - body) / 8;
            case Frames.DROPPED -> "dropped " + in.getByte(body) + " " + in.getLong(body + 1);
            case Frames.PING -> "ping";
            case Frames.TOLD -> "told";
            default -> "?";
        }));
        return told;
    }

    private static List<String> told(StreamHarness stream) throws Exception {
        return told(octets(stream.advance(Duration.ZERO).toSource()));
    }

    private static byte[] octets(List<Packet> packets) {
        ByteBuf all = Unpooled.buffer();
        packets.forEach(packet -> all.writeBytes(packet.payload()));
        return ByteBufUtil.getBytes(all);
    }

    /** What the root says to a node that has joined, where nobody else wants anything. */
    private static byte[] joined() {
        return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(Frames.path(new long[] {7}), Frames.told()));
    }

    private static void say(StreamHarness stream, ByteBuf frame) throws Exception {
        stream.toDestination(ByteBufUtil.getBytes(frame));
    }

    private static StreamHarness program(ServiceHarness node) throws Exception {
        return node.stream(Position.TRANSIT).destination(ROOT).open();
    }

    private static StreamHarness atRoot(ServiceHarness root) throws Exception {
        return root.stream(Position.ONLY).endsHere().open();
    }

    private static ByteBuf event(String topic, String data) {
        return EventView.frame(topic, EventView.JSON, data.getBytes(UTF_8));
    }

    private static final String ALL = "{\"topic\":\"#\"}";

    @Test
    void atTheRootEventsGoToThoseWhoWantThem() throws Exception {
        ServiceHarness root = node(Map.of());
        StreamHarness publisher = atRoot(root);
        StreamHarness subscriber = atRoot(root);
        say(subscriber, Frames.subscribe(5, "{\"topic\":\"a/#\",\"where\":\"data.v > 1\"}"));
        assertThat(told(subscriber)).containsExactly("ready 5");
        say(publisher, event("a/b", "{\"v\":1}"));
        say(publisher, event("a/b", "{\"v\":2}"));
        say(publisher, event("b", "{\"v\":3}"));
        assertThat(told(subscriber)).containsExactly("event {\"v\":2}");
        assertThat(told(publisher)).isEmpty();
        say(subscriber, Frames.numbered(Frames.UNSUBSCRIBE, 5));
        say(publisher, event("a/b", "{\"v\":2}"));
        assertThat(told(subscriber)).isEmpty();
        assertThat(root.metrics().value("filters")).isZero();
        assertThat(root.metrics().value("neighbours")).isEqualTo(2);
    }

    /** A leaf and its root, with octets carried between them by hand. */
    @Test
    void aNodeSaysToItsRootWhatItsProgramsWant() throws Exception {
        ServiceHarness root = node(Map.of());
        ServiceHarness leaf = node(Map.of());
        StreamHarness subscriber = program(leaf);
        say(subscriber, Frames.subscribe(1, "{\"topic\":\"a\"}"));
        say(subscriber, Frames.subscribe(2, "{\"topic\":\"a/#\"}"));
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only();
        assertThat(subscriber.connects()).as("a stream of a program ends here").isFalse();
        assertThat(up.remote()).isEqualTo(Remote.node("10.0.0.1", 3322));
        StreamHarness below = root.stream(Position.ONLY).endsHere().fromPeer().open();
        up.accept();
        below.toDestination(up.sent());
        assertThat(told(subscriber)).as("the root has not said the way yet").isEmpty();
        up.answer(octets(below.advance(Duration.ZERO).toSource()));
        leaf.advance(Duration.ZERO);
        byte[] wanted = up.sent();
        assertThat(told(wanted)).as("what covers both").containsExactly("subscribe 1 {\"topic\":\"a/#\"}");
        below.toDestination(wanted);
        up.answer(octets(below.advance(Duration.ZERO).toSource()));
        leaf.advance(Duration.ZERO);
        assertThat(told(subscriber)).containsExactly("ready 1", "ready 2");
        StreamHarness publisher = atRoot(root);
        say(publisher, event("a/b", "1"));
        say(publisher, event("c", "2"));
        up.answer(octets(below.advance(Duration.ZERO).toSource()));
        leaf.advance(Duration.ZERO);
        assertThat(told(subscriber)).containsExactly("event 1");
        assertThat(leaf.inspect("spaces", Map.of()).toString()).contains("state=joined", "nodesToRoot=1", "is=above");
        assertThat(root.inspect("spaces", Map.of()).toString()).contains("state=root", "is=below");
    }

    @Test
    void aConnectionThatIsLostIsFollowedByAnotherWhichHearsTheSame() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness subscriber = program(leaf);
        say(subscriber, Frames.subscribe(1, ALL));
        leaf.advance(Duration.ZERO);
        leaf.connections().all().get(0).accept().answer(joined());
        leaf.advance(Duration.ZERO);
        assertThat(told(leaf.connections().all().get(0).sent())).containsExactly("hello", "subscribe 1 " + ALL);
        leaf.connections().all().get(0).fail(ErrorCode.CONNECTION_LOST);
        leaf.advance(Duration.ofMillis(200));
        assertThat(leaf.connections().all()).hasSize(1);
        leaf.advance(Duration.ofMillis(100));
        assertThat(leaf.connections().all()).hasSize(2);
        leaf.connections().all().get(1).fail(ErrorCode.UNREACHABLE);
        leaf.advance(Duration.ofMillis(450));
        assertThat(leaf.connections().all()).as("twice as long after the second").hasSize(2);
        leaf.advance(Duration.ofMillis(100));
        Opened third = leaf.connections().all().get(2);
        third.accept().answer(joined());
        leaf.advance(Duration.ZERO);
        assertThat(told(third.sent())).containsExactly("hello", "subscribe 1 " + ALL);
        third.answer(ByteBufUtil.getBytes(Frames.numbered(Frames.READY, 1)));
        leaf.advance(Duration.ZERO);
        assertThat(told(subscriber)).containsExactly("ready 1");
    }

    /** A way in a circle is found before an event goes round. */
    @Test
    void aWayThatLeadsBackIsCut() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness other = leaf.stream(Position.TRANSIT).destination(ROOT).fromPeer().open();
        say(other, Frames.hello());
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only().accept();
        up.answer(joined());
        leaf.advance(Duration.ZERO);
        byte[] said = octets(other.advance(Duration.ZERO).toSource());
        assertThat(told(said)).containsExactly("path 2", "told");
        up.answer(said);
        leaf.advance(Duration.ZERO);
        assertThat(up.isOver()).isTrue();
    }

    @Test
    void aNodeWaitsUntilTheWayToTheRootIsKnown() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness below = leaf.stream(Position.TRANSIT).destination(ROOT).fromPeer().open();
        say(below, Frames.hello());
        below.advance(Duration.ofSeconds(6));
        assertThat(told(below)).isEmpty();
        assertThatThrownBy(() -> say(below, event("a", "1"))).hasMessageContaining("EE-109");
    }

    /** Wrong: the first events of a program whose node nobody else has used are for nobody. */
    @Test
    void whatAProgramSaysWaitsUntilItsNodeKnowsWhatIsWanted() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness publisher = program(leaf);
        say(publisher, event("a", "1"));
        say(publisher, event("a", "2"));
        publisher.end();
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only().accept();
        assertThat(told(up.sent())).containsExactly("hello");
        up.answer(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(Frames.path(new long[] {7}), Frames.subscribe(1, ALL))));
        leaf.advance(Duration.ZERO);
        assertThat(told(up.sent())).as("more may be wanted").containsExactly("ready 1");
        up.answer(ByteBufUtil.getBytes(Frames.told()));
        publisher.advance(Duration.ZERO);
        leaf.advance(Duration.ZERO);
        assertThat(told(up.sent())).containsExactly("event 1", "event 2");
    }

    @Test
    void whatAProgramSaysGoesOnWhereTheRootCannotBeReached() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness subscriber = program(leaf);
        say(subscriber, Frames.subscribe(1, ALL));
        StreamHarness publisher = program(leaf);
        say(publisher, event("a", "1"));
        assertThat(told(subscriber)).isEmpty();
        leaf.connections().only().fail(ErrorCode.UNREACHABLE);
        leaf.advance(Duration.ZERO);
        assertThat(told(subscriber)).containsExactly("event 1");
    }

    /** Wrong: after a root that was away, a node that was still hearing what is wanted said to those below that this was all. */
    @Test
    void onlyANodeThatKnowsAllThatIsWantedSaysSoToThoseBelow() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness below = leaf.stream(Position.TRANSIT).destination(ROOT).fromPeer().open();
        say(below, Frames.hello());
        leaf.advance(Duration.ZERO);
        leaf.connections().only().fail(ErrorCode.UNREACHABLE);
        leaf.advance(Duration.ofMillis(300));
        Opened up = leaf.connections().all().get(1).accept();
        up.answer(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(Frames.path(new long[] {7}), Frames.subscribe(1, "{\"topic\":\"a\"}"))));
        leaf.advance(Duration.ZERO);
        assertThat(told(below)).as("more may be wanted").containsExactly("path 2", "subscribe 1 {\"topic\":\"a\"}");
        up.answer(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(Frames.subscribe(2, "{\"topic\":\"b\"}"), Frames.told())));
        leaf.advance(Duration.ZERO);
        assertThat(told(below)).containsExactly("subscribe 2 {\"topic\":\"b\"}", "told");
    }

    @Test
    void onlyANodeThatIsListedSpeaksAsOne() throws Exception {
        ServiceHarness root = node(Map.of());
        assertThatThrownBy(() -> say(atRoot(root), Frames.hello())).hasMessageContaining("EE-216");
        assertThatThrownBy(() -> say(atRoot(root), Frames.path(new long[] {1}))).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> say(atRoot(root), Unpooled.wrappedBuffer(new byte[] {99, 0, 0, 0}))).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> say(atRoot(root), Unpooled.wrappedBuffer(new byte[] {3, 0, 0, 1, 1}))).hasMessageContaining("EE-109");
    }

    @Test
    void whereTheOperatorLetsItNotGoProgramsAreTold() throws Exception {
        ServiceHarness leaf = node(Map.of());
        leaf.connections().reaches(remote -> false);
        StreamHarness program = program(leaf);
        assertThatThrownBy(() -> program.advance(Duration.ZERO)).hasMessageContaining("EE-216");
    }

    /** The oldest go, it is told how many, and whoever publishes does not wait. */
    @Test
    void whoIsSlowLosesEventsAndHearsIt() throws Exception {
        ServiceHarness root = node(Map.of("waiting-kb", 128));
        StreamHarness publisher = atRoot(root);
        StreamHarness slow = atRoot(root);
        say(slow, Frames.subscribe(1, ALL));
        assertThat(told(slow)).containsExactly("ready 1");
        slow.writable(false);
        for (int i = 0; i < 400; i++) {
            say(publisher, event("a", i + " ".repeat(1000)));
        }
        assertThat(told(slow)).isEmpty();
        assertThat(publisher.isSourcePaused()).isFalse();
        assertThat(root.metrics().value("waiting_bytes")).isBetween(64 * 1024.0, 128 * 1024.0);
        List<String> heard = new ArrayList<>(told(octets(slow.writable(true).returnRoom().onward())));
        heard.replaceAll(String::trim);
        long dropped = Long.parseLong(heard.get(0).substring("dropped 0 ".length()));
        assertThat(heard).hasSize(1 + 400 - (int) dropped);
        assertThat(heard.get(1)).isEqualTo("event " + dropped);
        assertThat(heard).last().isEqualTo("event 399");
        assertThat(root.metrics().value("waiting_bytes")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "{}", "{\"topic\":\"a\",\"where\":\"data.v >\"}", "{\"topic\":\"a\",\"region\":[1]}"})
    void aFilterThatIsNoneEndsItsStreamAlone(String filter) throws Exception {
        ServiceHarness root = node(Map.of());
        StreamHarness other = atRoot(root);
        say(other, Frames.subscribe(1, ALL));
        StreamHarness bad = atRoot(root);
        assertThatThrownBy(() -> say(bad, Frames.subscribe(1, filter))).hasMessageContaining("EE-109");
        bad.close();
        StreamHarness publisher = atRoot(root);
        say(publisher, event("a", "1"));
        assertThat(told(other)).containsExactly("ready 1", "event 1");
    }

    @Test
    void boundsAreOptions() throws Exception {
        ServiceHarness root = node(Map.of("filters", 2, "neighbours", 2, "event-kb", 1, "spaces", 1));
        StreamHarness first = atRoot(root);
        say(first, Frames.subscribe(1, ALL));
        say(first, Frames.subscribe(2, ALL));
        assertThatThrownBy(() -> say(first, Frames.subscribe(3, ALL))).hasMessageContaining("EE-309");
        StreamHarness second = atRoot(root);
        assertThatThrownBy(() -> say(second, event("a", "1".repeat(2000)))).hasMessageContaining("EE-309");
        assertThatThrownBy(() -> atRoot(root)).hasMessageContaining("EE-309");
        assertThatThrownBy(() -> program(root)).as("another space").hasMessageContaining("EE-309");
        assertThatThrownBy(() -> node(Map.of("told", 3))).hasMessageContaining("EE-501");
    }

    /** A stream on which nothing comes would end when the node's idle time is over; a node that says nothing is taken to be gone. */
    @Test
    void itSaysNowAndThenThatItIsThere() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness program = program(leaf);
        say(program, Frames.ping());
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only().accept();
        up.answer(joined());
        leaf.advance(Duration.ofSeconds(11));
        assertThat(told(program)).contains("ping");
        assertThat(told(up.sent())).startsWith("hello").contains("ping");
        assertThat(up.isOver()).isFalse();
        leaf.advance(Duration.ofSeconds(15));
        assertThat(up.isOver()).isTrue();
    }

    @Test
    void aSpaceEndsWithTheLastWhoIsInIt() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness program = program(leaf);
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only().accept();
        program.end();
        assertThat(program.advance(Duration.ZERO).toSource()).isEmpty();
        assertThat(program.hasReturnEnded()).isTrue();
        program.close();
        leaf.advance(Duration.ofSeconds(6));
        assertThat(up.isOver()).isTrue();
        assertThat((List<?>) leaf.inspect("spaces", Map.of()).get("spaces")).isEmpty();
        assertThatThrownBy(() -> leaf.inspect("members", Map.of())).hasMessageContaining("EE-407");
    }

    @Test
    void aLossFartherAwayIsToldToThoseWhoWantSomething() throws Exception {
        ServiceHarness leaf = node(Map.of());
        StreamHarness subscriber = program(leaf);
        StreamHarness publisher = program(leaf);
        say(subscriber, Frames.subscribe(1, ALL));
        say(publisher, event("a", "1"));
        leaf.advance(Duration.ZERO);
        Opened up = leaf.connections().only().accept();
        up.answer(joined()).answer(ByteBufUtil.getBytes(Frames.dropped(false, 9)));
        leaf.advance(Duration.ZERO);
        assertThat(told(subscriber)).containsExactlyInAnyOrder("event 1", "dropped 1 9");
        assertThat(told(publisher)).isEmpty();
    }
}
