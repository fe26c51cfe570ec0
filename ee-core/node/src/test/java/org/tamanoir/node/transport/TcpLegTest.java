package org.tamanoir.node.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.transport.LegChannel.Ending.FIN;
import static org.tamanoir.node.transport.LegLog.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a connection reads, and what its owner is told of it, octet by octet; the connection is a {@link LegChannel}. */
class TcpLegTest {
    private static final int LINGER_MILLIS = 2000;
    private static final int STARVED_MILLIS = 50;

    private final AtomicLong limit = new AtomicLong(64 << 20);
    private final LegChannel channel = new LegChannel(new LoopMemory(limit::get), Ticker.newMockTicker());
    private final LegLog log = new LegLog();
    private final TcpLeg leg = channel.leg(log, log);

    @AfterEach
    void nothingLeaks() {
        limit.set(64 << 20);
        channel.assertNothingLeaks();
    }

    // Reading.

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 1000, 1 << 20})
    void packetsComeOutWholeHoweverTheyAreCut(int piece) {
        ByteBuf sent = packets(0, 1, 1400, 0, 8, 65_527, 3);
        int octets = sent.readableBytes();
        while (sent.isReadable()) {
            channel.peerSends(sent.readSlice(Math.min(piece, sent.readableBytes())));
        }
        assertThat(log.lines()).containsExactly("5401:0 octets", "5401:1 octets", "5401:1400 octets", "5401:0 octets", "5401:8 octets",
                "5401:65527 octets", "5401:3 octets");
        assertThat(leg.packets()).isEqualTo(7);
        assertThat(leg.received()).isEqualTo(octets);
        assertThat(leg.retained()).as("kept of what has all gone on").isZero();
    }

    @Test
    void aPacketThatHasBegunIsKeptInABufferOfItsSize() {
        channel.peerSends(packets(1000).slice(0, 900));
        leg.tidy();
        assertThat(leg.retained()).isEqualTo(900);
        channel.peerSends(packets(1000).slice(900, 108));
        assertThat(log.lines()).containsExactly("5401:1000 octets");
        assertThat(leg.retained()).isZero();
    }

    @Test
    void whatIsStoppedInsideAReadWaitsAndNothingMoreIsRead() {
        log.atPacket(leg::stop);
        channel.peerSends(packets(1, 2));
        assertThat(log.lines()).containsExactly("5401:1 octets");
        channel.peerSends(packets(3));
        channel.peerSends(packets(4));
        assertThat(channel.unread()).as("octets that the system keeps").isEqualTo(packets(3, 4).readableBytes());
        assertThat(leg.isPaused()).isTrue();
        leg.proceed();
        assertThat(log.lines()).as("what is read goes first").containsExactly("5401:1 octets", "5401:2 octets");
        log.atPacket(() -> { });
        leg.proceed();
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:1 octets", "5401:2 octets", "5401:3 octets", "5401:4 octets");
        assertThat(leg.isPaused()).isFalse();
    }

    @Test
    void theEndOfAPeerIsToldBehindItsLastPacketAndOnce() {
        log.atPacket(leg::stop);
        channel.peerSends(packets(1, 2));
        channel.peerEnds();
        assertThat(log.lines()).containsExactly("5401:1 octets");
        leg.proceed();
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:1 octets", "5401:2 octets");
        leg.proceed();
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:1 octets", "5401:2 octets", "ended");
    }

    /** The rule that a read is refused to a stopped leg comes too late here: FIN is the next thing that happens. */
    @Test
    void anEndThatCameWhileStoppedWaitsForProceed() {
        channel.peerSends(packets(1, 2).slice(0, 9 + 5));
        log.atPacket(leg::stop);
        channel.peerSends(packets(1, 2).slice(14, 5));
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(log.lines()).containsExactly("5401:1 octets", "5401:2 octets");
        leg.proceed();
        assertThat(log.lines()).containsExactly("5401:1 octets", "5401:2 octets", "ended");
    }

    @Test
    void aPausedLegReadsNothingThoughItsPeerHasEnded() {
        leg.pauseReading(true);
        channel.peerSends(packets(1));
        channel.peerEnds();
        assertThat(log.lines()).as("neither a packet, nor an end, nor an error").isEmpty();
        assertThat(channel.unread()).isEqualTo(9);
        leg.pauseReading(false);
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:1 octets", "ended");
    }

    @Test
    void aPeerThatStopsInsideAPacketHasNotEndedWell() {
        channel.peerSends(packets(10).slice(0, 17));
        channel.peerEnds();
        assertThat(log.lines()).containsExactly("ended inside a packet");
    }

    @Test
    void withoutMemoryNothingIsReadForFiftyMilliseconds() {
        limit.set(0);
        channel.peerSends(packets(5));
        assertThat(leg.isPaused()).isTrue();
        channel.passes(STARVED_MILLIS);
        assertThat(channel.unread()).as("there is still none").isEqualTo(13);
        limit.set(64 << 20);
        channel.passes(STARVED_MILLIS - 1);
        assertThat(log.lines()).isEmpty();
        channel.passes(1);
        assertThat(log.lines()).containsExactly("5401:5 octets");
    }

    @Test
    void whoIsPausedIsNotWokenByMemory() {
        limit.set(0);
        channel.peerSends(packets(5));
        leg.pauseReading(true);
        limit.set(64 << 20);
        channel.passes(STARVED_MILLIS);
        assertThat(log.lines()).isEmpty();
        leg.pauseReading(false);
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:5 octets");
    }

    @Test
    void whoStarvesIsNotWokenByItsOwner() {
        limit.set(0);
        channel.peerSends(packets(5));
        limit.set(64 << 20);
        leg.pauseReading(true);
        leg.pauseReading(false);
        channel.settle();
        assertThat(log.lines()).as("memory is looked for once in 50 ms").isEmpty();
        channel.passes(STARVED_MILLIS);
        assertThat(log.lines()).containsExactly("5401:5 octets");
    }

    // What is no packet.

    @ParameterizedTest
    @CsvSource({"02, EE-101", "0100540100010008, EE-102", "0100540100030008, EE-103", "0100540100020007, EE-103",
            "0180540000040010800A000202000000, EE-108", "0180540000020008, EE-108"})
    void whatIsNoPacketBreaksTheConnectionBehindThePacketsBefore(String hex, String code) {
        ByteBuf sent = packets(7).writeBytes(ByteBufUtil.decodeHexDump(hex)).writeBytes(packets(8));
        channel.peerSends(sent);
        assertThat(log.lines()).containsExactly("5401:7 octets", "broken " + code);
        channel.peerSends(packets(9));
        channel.peerResets();
        assertThat(log.lines()).as("once, and nothing behind it").hasSize(2);
    }

    @Test
    void anOwnerMayAnswerWhatIsNoPacketAndTheAnswerIsDelivered() {
        log.atEnd(() -> leg.refuse(Unpooled.copiedBuffer("no", US_ASCII)));
        channel.peerSends(2);
        channel.peerSends(packets(100));
        assertThat(channel.got().toString(US_ASCII)).isEqualTo("no");
        assertThat(channel.ending()).isEqualTo(FIN);
        channel.passes(LINGER_MILLIS);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
    }

    /** Each keeps a descriptor that no limit of streams counts. */
    @Test
    void refusedConnectionsBeyondABoundDoNotLinger() {
        List<LegChannel> refused = new ArrayList<>();
        for (int i = 0; i < Lingering.MOST + 50; i++) {
            LegChannel each = new LegChannel().lingersWith(channel);
            each.leg(null, null).refuse(Unpooled.copiedBuffer("no", US_ASCII));
            each.settle();
            assertThat(each.got().toString(US_ASCII)).as("said to %d", i).isEqualTo("no");
            refused.add(each);
        }
        assertThat(refused).filteredOn(LegChannel::isOpen).hasSize(Lingering.MOST);
        refused.get(0).passes(LINGER_MILLIS);
        assertThat(refused.get(0).isOpen()).isFalse();
        LegChannel last = new LegChannel().lingersWith(channel);
        last.leg(null, null).refuse(Unpooled.copiedBuffer("no", US_ASCII));
        assertThat(last.isOpen()).as("there is room again").isTrue();
        refused.forEach(each -> each.passes(LINGER_MILLIS));
        last.passes(LINGER_MILLIS);
    }

    @Test
    void rawOctetsBecomePackets() {
        leg.wrapRaw(0x5403);
        channel.peerSends(1, 2, 3);
        channel.peerSends(4);
        channel.peerEnds();
        assertThat(log.lines()).containsExactly("5403:3 octets", "5403:1 octets", "ended");
        assertThat(leg.received()).isEqualTo(4);
    }
}
