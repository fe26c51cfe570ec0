package org.tamanoir.services.dyram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.ServiceChoice;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;
import org.tamanoir.service.Position;
import org.tamanoir.service.testkit.LinkHarness;
import org.tamanoir.service.testkit.Sent;
import org.tamanoir.service.testkit.ServiceHarness;

/** The bundle on a node's links: what comes as packets leaves as packets, to whom it should, and every buffer is given back. */
class DyramTest {
    private static final long SESSION = 0x1234;
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 5405);
    private static final InetSocketAddress SOURCE = new InetSocketAddress("10.0.0.1", 4000);
    private static final InetSocketAddress NODE = new InetSocketAddress("10.0.0.2", 3322);
    private static final InetSocketAddress FIRST = new InetSocketAddress("10.0.1.1", 4001);
    private static final InetSocketAddress SECOND = new InetSocketAddress("10.0.1.2", 4002);
    private static final SessionKey KEY = SessionKey.of(new byte[0], SESSION, 7);
    private static final SessionTerms TERMS = new SessionTerms(GROUP, 100, 10, 4, 1_000_000, false, 7);

    private ServiceHarness harness;
    private LinkHarness links;

    @BeforeEach
    void start() throws Exception {
        harness = ServiceHarness.start(new Dyram(), Map.of());
        links = harness.openLinks(false, NODE);
    }

    @AfterEach
    void stop() {
        links.close();
        harness.close();
    }

    private void deliver(InetSocketAddress from, Message message) throws Exception {
        links.deliver(from, Codec.encode(message, UnpooledByteBufAllocator.DEFAULT));
    }

    /** It says something, and again when it has answered what it is asked. */
    private void deliverHonestly(InetSocketAddress from, Message message) throws Exception {
        deliver(from, message);
        List<Message> asked = links.sent().stream().filter(sent -> sent.to().equals(from)).map(sent -> Codec.decode(sent.packet())).toList();
        assertThat(asked).singleElement().isInstanceOfSatisfying(Challenge.class, challenge -> assertThat(challenge.session()).isEqualTo(message.session()));
        Challenge challenge = (Challenge) asked.get(0);
        deliver(from, new Answer(challenge.session(), challenge.cookie()));
        deliver(from, message);
    }

    private List<InetSocketAddress> sentTo(Class<? extends Message> kind) {
        return links.sent().stream().filter(sent -> kind.isInstance(Codec.decode(sent.packet()))).map(Sent::to).toList();
    }

    private long join(InetSocketAddress host, String name, int member) throws Exception {
        deliverHonestly(host, KEY.sign(new Join(SESSION, name, member, false, false, SessionKey.NO_TAG)));
        assertThat(sentTo(Join.class)).containsExactly(SOURCE);
        deliver(SOURCE, KEY.sign(new Accept(SESSION, name, member, member, 99, SessionKey.NO_TAG)));
        Sent accept = links.sent().stream().filter(sent -> Codec.decode(sent.packet()) instanceof Accept).findFirst().orElseThrow();
        assertThat(accept.to()).isEqualTo(host);
        return ((Accept) Codec.decode(accept.packet())).cookie();
    }

    private void data(InetSocketAddress from, long sequence, int replier, long cookie) throws Exception {
        ByteBuf body = Unpooled.buffer();
        KEY.data(SESSION, sequence, Unpooled.wrappedBuffer(new byte[] {1, 2, 3, (byte) sequence}), body);
        deliver(from, new Data(SESSION, sequence, replier > 0, replier, cookie, body, null));
    }

    @Test
    void aLossIsRepairedByTheOtherHostAndGoesNowhereElse() throws Exception {
        deliverHonestly(SOURCE, KEY.sign(new Announce(SESSION, 1, 16, false, TERMS, SessionKey.NO_TAG)));
        assertThat(sentTo(Announce.class)).containsExactly(NODE);
        deliverHonestly(FIRST, new Listen(GROUP));
        assertThat(sentTo(Announce.class)).containsExactly(FIRST);
        long first = join(FIRST, "first", 1);
        long second = join(SECOND, "second", 2);

        data(SOURCE, 100, 0, 0);
        data(SOURCE, 101, 0, 0);
        assertThat(sentTo(Data.class)).containsExactlyInAnyOrder(FIRST, SECOND, FIRST, SECOND);

        deliver(FIRST, new Nack(SESSION, first, Losses.of(100, 0)));
        links.advance(Duration.ofMillis(60));
        assertThat(sentTo(Request.class)).containsExactly(SECOND);

        data(SECOND, 100, 2, second);
        List<Sent> repairs = links.sent().stream().filter(sent -> Codec.decode(sent.packet()) instanceof Data).toList();
        assertThat(repairs).singleElement().satisfies(repair -> {
            assertThat(repair.to()).isEqualTo(FIRST);
            Data data = (Data) Codec.decode(repair.packet());
            assertThat(data.cookie()).as("the replier's cookie is not for others").isZero();
            assertThat(KEY.verify(data)).isTrue();
        });
        assertThat(harness.metrics().value("elected")).isEqualTo(1);
        assertThat(harness.metrics().value("asked_above")).isZero();
    }

    @Test
    void whatIsNoMessageIsCountedAndChangesNothing() throws Exception {
        deliverHonestly(SOURCE, KEY.sign(new Announce(SESSION, 1, 16, false, TERMS, SessionKey.NO_TAG)));
        links.sent();
        links.deliver(FIRST, new PacketBuilder(Codec.TYPE_ID).payload(Unpooled.wrappedBuffer(new byte[] {99, 1, 2, 3}))
                .build(UnpooledByteBufAllocator.DEFAULT));
        assertThat(links.sent()).isEmpty();
        assertThat(harness.metrics().value("malformed")).isEqualTo(1);
        assertThat(harness.metrics().value("sessions")).isEqualTo(1);
    }

    /** The session asks for more than the operator allows: the node says so in its report and its metrics. */
    @Test
    @SuppressWarnings("unchecked")
    void aSessionChoosesWithinTheOptions() throws Exception {
        links.close();
        harness.close();
        harness = ServiceHarness.start(new Dyram(), Map.of("aggregate", "false", "elect", "hosts"));
        links = harness.openLinks(false, NODE);
        SessionTerms terms = new SessionTerms(GROUP, 100, 10, 4, 1_000_000, false, 7, ServiceChoice.parse("aggregate,subcast,elect,detect@others"));
        deliverHonestly(SOURCE, KEY.sign(new Announce(SESSION, 1, 16, false, terms, SessionKey.NO_TAG)));

        Announce further = (Announce) Codec.decode(links.sent().stream().filter(sent -> sent.to().equals(NODE)).findFirst().orElseThrow().packet());
        assertThat(KEY.verify(further)).isTrue();
        assertThat(further.terms().services()).isEqualTo(terms.services());
        Map<String, Object> session = ((List<Map<String, Object>>) links.report().get("sessions")).get(0);
        assertThat(session).containsEntry("services", List.of("subcast", "elect-hosts")).containsEntry("refused", List.of("aggregate", "elect-sites"));
        assertThat(harness.metrics().value("services_refused")).isEqualTo(2);
        assertThat(harness.metrics().value("sessions_subcast")).isEqualTo(1);
        assertThat(harness.metrics().value("sessions_elect_hosts")).isEqualTo(1);
        assertThat(harness.metrics().value("sessions_detect")).isZero();
        assertThat(harness.metrics().value("sessions_aggregate")).isZero();
    }

    @Test
    void aStreamIsRefused() {
        assertThatThrownBy(() -> harness.open(Position.ONLY)).hasMessageContaining("next node");
    }
}
