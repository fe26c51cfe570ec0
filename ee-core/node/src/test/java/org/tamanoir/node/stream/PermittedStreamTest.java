package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.transport.DatagramChannelStub;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/** Streams of a node with an access policy. */
class PermittedStreamTest {
    private static final InetSocketAddress SENDER = new InetSocketAddress("192.0.2.50", 4000);

    @TempDir
    Path directory;
    private final List<ByteBuf> sent = new ArrayList<>();
    private TokenIssuer issuer;
    private AccessControl access;
    private StreamRig rig;
    private DatagramChannelStub socket;
    private UdpPort port;

    private void policy(String rules) throws IOException {
        issuer = new TokenIssuer("https://cms.example.org/", directory.resolve("cms.jwks"));
        Path file = Files.writeString(directory.resolve("access.yaml"), "issuers:\n  - {issuer: '" + issuer.name() + "', keys: " + issuer.keys()
                + ", audience: here}\nrules:\n" + rules);
        access = new AccessControl(file, Clock.systemUTC());
        rig = new StreamRig(access);
        socket = new DatagramChannelStub(rig.memory);
        port = new UdpPort(rig.environment, socket.leg());
    }

    @AfterEach
    void close() {
        port.end();
        settle();
        rig.close();
        socket.close();
        access.close();
        assertThat(access.describe().toString()).as("streams that still count").doesNotContainPattern("open=\\{[^}]");
        sent.forEach(each -> assertThat(each.refCnt()).isZero());
    }

    private void settle() {
        rig.settle();
        for (int i = 0; i < 4; i++) {
            socket.runPendingTasks();
            rig.sockets.forEach(DatagramChannelStub::runPendingTasks);
        }
    }

    private String token(String audience) {
        return issuer.token("ada", audience, "compute.read");
    }

    private LegChannel opens(String token) {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).token(token), "first"));
        return near;
    }

    @Test
    void aStreamThatNoRuleAllowsIsRefusedAndNoServiceSeesIt() throws IOException {
        policy("  - allow: 198.51.100.0/24\n");
        LegChannel near = opens(null);
        assertThat(StreamRig.texts(near)).containsExactly("EE-216");
        assertThat(rig.handler.told).isEmpty();
        assertThat(rig.connects).isZero();
        rig.assertOver(ErrorCode.NOT_PERMITTED);
    }

    @Test
    void aTokenOpensAStreamAndGoesNoFurther() throws IOException {
        policy("  - allow: https://cms.example.org/\n");
        opens(token("here"));
        await().until(() -> {
            settle();
            return !rig.fars.isEmpty();
        });
        List<Packet> got = StreamRig.packets(rig.far().got());
        assertThat(got).hasSize(1);
        got.get(0).checkOptions();
        assertThat(got.get(0).options().token()).as("what is for this node is nobody else's").isNull();
        assertThat(rig.only().status().identity()).isEqualTo("https://cms.example.org/#ada");
        assertThat(rig.only().status().permittedBy()).isEqualTo("line 4: allow https://cms.example.org/");
    }

    @Test
    void aTokenForSomebodyElseEndsTheStreamThoughTheAddressWouldDo() throws IOException {
        policy("  - allow: anybody\n");
        LegChannel near = opens(token("elsewhere"));
        await().until(() -> {
            settle();
            return rig.table.all().isEmpty();
        });
        assertThat(StreamRig.texts(near)).containsExactly("EE-219");
        rig.assertOver(ErrorCode.TOKEN_AUDIENCE);
    }

    @Test
    void aStreamThatEndsWhileItsTokenIsVerifiedGivesItsPlaceBack() throws IOException {
        policy("  - allow: https://cms.example.org/\n    streams: 1\n");
        for (int i = 0; i < 20; i++) {
            LegChannel near = opens(issuer.token("ada", "here", "s" + i));
            near.peerResets();
            settle();
        }
        await().until(() -> {
            settle();
            return rig.table.all().isEmpty() && !access.describe().toString().matches(".*open=\\{[^}].*");
        });
    }

    @Test
    void aCodePointThatIsNotAllowedBecomesZero() throws IOException {
        policy("  - allow: anybody\n    classes: AF11\n");
        marked(46);
        LegChannel near = opens(null);
        marked(10);
        rig.send(near, "second");
        List<Byte> seen = new ArrayList<>();
        rig.far().codePoints().forEachByte(each -> seen.add(each));
        assertThat(StreamRig.texts(rig.far())).containsExactly("first", "second");
        assertThat(seen).containsOnly((byte) 0, (byte) 10).startsWith((byte) 0).endsWith((byte) 10);
    }

    private void marked(int codePoint) {
        rig.offload.rules().replaceOperators(List.of(new LightRule("mark", Match.type(StreamRig.TYPE), List.of(Action.dscp(codePoint)))));
    }

    /** A rate of 1 Mbit/s: 60,000 octets take 0.48 s, of which 0.05 s are tolerated. */
    @Test
    void aSourceThatIsTooFastWaits() throws IOException {
        policy("  - allow: anybody\n    rate: 1M\n");
        LegChannel near = opens(null);
        rig.send(near, "x".repeat(60_000), "second", "third");
        assertThat(StreamRig.packets(rig.far().got())).as("what was read goes on").hasSizeGreaterThanOrEqualTo(2);
        rig.send(near, "y".repeat(30_000));
        assertThat(near.unread()).as("the rest stays with the system").isGreaterThanOrEqualTo(30_000);
        assertThat(rig.only().status().paused()).isTrue();
        near.passes(300);
        assertThat(near.unread()).isGreaterThanOrEqualTo(30_000);
        near.passes(1000);
        assertThat(near.unread()).isZero();
    }

    // UDP: a token comes with the cookie.

    private void arrive(ByteBuf datagram) {
        sent.add(datagram);
        socket.arrive(SENDER, datagram);
        settle();
    }

    private void arrive(String payload) {
        arrive(StreamRig.packet(StreamRig.to(StreamRig.BEHIND).stream(1, 0).hops(9), payload));
    }

    private static List<Packet> left(DatagramChannelStub from) {
        List<Packet> packets = new ArrayList<>();
        for (ByteBuf next = from.left(); next != null; next = from.left()) {
            packets.addAll(StreamRig.packets(Unpooled.copiedBuffer(next)));
            next.release();
        }
        packets.forEach(Packet::checkOptions);
        return packets;
    }

    private void returned(long cookie, String token) {
        arrive(new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().stream(1, 0).cookie(cookie).token(token))
                .build(UnpooledByteBufAllocator.DEFAULT));
    }

    @Test
    void aSenderOfDatagramsIsAskedAndItsFirstOnesWait() throws IOException {
        policy("  - allow: https://cms.example.org/\n");
        arrive("a");
        arrive("b");
        List<Packet> asked = left(socket);
        assertThat(asked).hasSize(1);
        assertThat(asked.get(0).cookie()).isNotZero();
        assertThat(rig.sockets).isEmpty();
        returned(asked.get(0).cookie() + 1, token("here"));
        assertThat(rig.sockets).as("a wrong cookie").isEmpty();
        returned(asked.get(0).cookie(), token("here"));
        await().until(() -> {
            settle();
            return !rig.sockets.isEmpty();
        });
        assertThat(left(rig.sockets.getLast())).extracting(Recorder::text).containsExactly("a", "b");
    }

    @Test
    void aCookieWithoutATokenOrNoneAtAllOpensNothing() throws IOException {
        policy("  - allow: https://cms.example.org/\n");
        arrive("a");
        returned(left(socket).get(0).cookie(), null);
        assertThat(left(socket)).extracting(each -> each.options().error().code()).containsExactly(ErrorCode.NOT_PERMITTED);
        assertThat(rig.table.all()).isEmpty();
        arrive("b");
        left(socket);
        rig.tick(Duration.ofSeconds(11));
        settle();
        assertThat(left(socket)).extracting(each -> each.options().error().code()).containsExactly(ErrorCode.NOT_PERMITTED);
        assertThat(rig.table.all()).isEmpty();
    }

    @Test
    void datagramsAboveTheRateAreDroppedAndCounted() throws IOException {
        policy("  - allow: 192.0.2.50\n    rate: 100k\n");
        for (int i = 0; i < 10; i++) {
            arrive("x".repeat(1000));
        }
        int passed = left(rig.sockets.getLast()).size();
        assertThat(passed).isBetween(1, 3);
        assertThat(rig.counters.datagramsOverRate().sum()).isEqualTo(10 - passed);
    }
}
