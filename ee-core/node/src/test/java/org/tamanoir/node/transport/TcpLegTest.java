package org.tamanoir.node.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.transport.LegChannel.Ending.FIN;
import static org.tamanoir.node.transport.LegChannel.Ending.OPEN;
import static org.tamanoir.node.transport.LegChannel.Ending.RESET;
import static org.tamanoir.node.transport.LegLog.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a connection does to its owner and its peer, octet by octet; the connection is a {@link LegChannel}. */
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

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, US_ASCII);
    }

    private static ByteBuf packets(int... payloads) {
        ByteBuf all = Unpooled.buffer();
        for (int octets : payloads) {
            all.writeBytes(packet(0x5401, octets));
        }
        return all;
    }

    private void writes(String... texts) {
        for (String text : texts) {
            leg.write(channel.alloc().buffer().writeBytes(text(text)));
        }
        leg.flush();
    }

    private String got() {
        return channel.got().toString(US_ASCII);
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
        log.atEnd(() -> leg.refuse(text("no")));
        channel.peerSends(2);
        channel.peerSends(packets(100));
        assertThat(got()).isEqualTo("no");
        assertThat(channel.ending()).isEqualTo(FIN);
        channel.passes(LINGER_MILLIS);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
    }

    @Test
    void aResetIsToldOnceAndWhatIsWrittenAfterItIsLetGo() {
        channel.peerTakes(2);
        writes("abc");
        channel.peerResets();
        assertThat(log.lines()).containsExactly("no room", "broken EE-211");
        writes("d");
        leg.mark(10);
        assertThat(leg.waits()).isFalse();
        assertThat(leg.pending()).isZero();
        assertThat(got()).isEqualTo("ab");
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void aConnectionThatIsGoneWithoutAnErrorIsBrokenToo() {
        channel.close();
        channel.settle();
        assertThat(log.lines()).containsExactly("broken EE-211");
        assertThat(channel.ending()).as("what the peer of a stream that was cut sees").isEqualTo(RESET);
    }

    static Stream<Arguments> endings() {
        return Stream.of(ending("close", TcpLeg::close), ending("abort", TcpLeg::abort),
                ending("refuse", leg -> leg.refuse(text("no"))));
    }

    private static Arguments ending(String name, Consumer<TcpLeg> end) {
        return Arguments.of(name, end);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    void anOwnerThatHasEndedALegHearsNothingMore(String name, Consumer<TcpLeg> end) {
        channel.peerTakes(0);
        writes("abc");
        log.lines().clear();
        end.accept(leg);
        channel.peerSends(packets(1));
        channel.peerSends(2, 2, 2);
        channel.peerTakes(Long.MAX_VALUE);
        channel.peerEnds();
        channel.peerResets();
        channel.passes(LINGER_MILLIS);
        assertThat(log.lines()).isEmpty();
        assertThat(channel.isOpen()).isFalse();
    }

    // Writing.

    @Test
    void nothingLeavesBeforeAFlushAndWhatThePeerDoesNotTakeIsCounted() {
        leg.write(text("abc").retain());
        assertThat(got()).isEmpty();
        channel.peerTakes(2);
        leg.flush();
        assertThat(got()).isEqualTo("ab");
        assertThat(leg.sent()).isEqualTo(3);
        assertThat(leg.waits()).isTrue();
        assertThat(leg.retained()).isPositive().isEqualTo(leg.pending());
        writes("de");
        channel.peerTakes(2);
        assertThat(log.lines()).as("told once that there is no room").containsExactly("no room");
        channel.peerTakes(Long.MAX_VALUE);
        assertThat(got()).isEqualTo("cde");
        assertThat(log.lines()).containsExactly("no room", "room");
        assertThat(leg.written()).isEqualTo(leg.sent()).isEqualTo(5);
        channel.written().get(0).release();
    }

    @Test
    void whatIsWrittenBeforeAMarkLeavesWithTheCodePointOfBefore() {
        leg.write(channel.alloc().buffer().writeBytes(text("abc")));
        leg.mark(10);
        leg.write(channel.alloc().buffer().writeBytes(text("de")));
        leg.mark(10);
        assertThat(channel.got().readableBytes()).as("a mark that changes nothing flushes nothing").isEqualTo(3);
        leg.mark(0);
        writes("f");
        assertThat(channel.codePoints()).isEqualTo(Unpooled.wrappedBuffer(new byte[] {10, 10, 0}));
    }

    // Ends.

    @Test
    void finishTellsThePeerBehindWhatWaitsAndReadsOn() {
        assertThat(channel.ifKilled()).as("a stream that is cut does not look as if it had ended").isEqualTo(RESET);
        channel.peerTakes(1);
        writes("abc");
        leg.finish();
        channel.peerTakes(1);
        assertThat(log.lines()).containsExactly("no room");
        assertThat(channel.ifKilled()).as("with an octet left").isEqualTo(RESET);
        channel.peerTakes(1);
        assertThat(log.lines()).startsWith("no room").contains("finished");
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(channel.ifKilled()).isEqualTo(FIN);
        assertThat(got()).isEqualTo("abc");
        channel.peerSends(packets(6));
        assertThat(log.lines()).endsWith("5401:6 octets");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionThatHasEndedBothWaysIsClosedInGoodOrder(boolean peerFirst) {
        if (peerFirst) {
            channel.peerEnds();
            assertThat(channel.isOpen()).as("one direction is left").isTrue();
            leg.finish();
        } else {
            leg.finish();
            assertThat(channel.isOpen()).as("one direction is left").isTrue();
            channel.peerEnds();
        }
        assertThat(channel.isOpen()).as("the system would report a hang-up without end").isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(log.lines()).containsExactlyInAnyOrder("ended", "finished");
    }

    @Test
    void anEndThatTheOwnerHasNotHeardIsNotTheEndOfBothWays() {
        log.atPacket(leg::stop);
        channel.peerSends(packets(1));
        leg.finish();
        channel.peerEnds();
        assertThat(channel.isOpen()).as("the end waits for the owner to proceed").isTrue();
        leg.proceed();
        channel.settle();
        assertThat(log.lines()).containsExactly("5401:1 octets", "finished", "ended");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closeDeliversWhatWaits() {
        channel.peerTakes(1);
        writes("abc");
        leg.close();
        assertThat(channel.isOpen()).isTrue();
        channel.peerTakes(Long.MAX_VALUE);
        assertThat(channel.isOpen()).isFalse();
        assertThat(got()).isEqualTo("abc");
        assertThat(channel.ending()).isEqualTo(FIN);
    }

    @Test
    void abortCutsAndDeliversNothingMore() {
        channel.peerTakes(1);
        writes("abc");
        leg.abort();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(RESET);
        assertThat(got()).isEqualTo("a");
    }

    @Test
    void refuseThrowsAwayWhatComesForTwoSecondsSoThatTheWordArrives() {
        leg.pauseReading(true);
        channel.peerSends(packets(1000));
        leg.refuse(text("no"));
        channel.settle();
        assertThat(got()).isEqualTo("no");
        assertThat(channel.ending()).isEqualTo(FIN);
        for (int i = 0; i < 100; i++) {
            channel.peerSends(packets(50_000));
        }
        assertThat(channel.unread()).as("octets that would make the close a reset").isZero();
        channel.passes(LINGER_MILLIS - 1);
        assertThat(channel.isOpen()).isTrue();
        channel.passes(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void aRefusedPeerThatEndsIsClosedAtOnce() {
        leg.refuse(text("no"));
        channel.peerEnds();
        assertThat(channel.isOpen()).isFalse();
        assertThat(got()).isEqualTo("no");
    }

    @Test
    void aPeerThatHasEndedBeforeIsRefusedAndClosedAtOnce() {
        channel.peerEnds();
        leg.refuse(text("no"));
        assertThat(got()).isEqualTo("no");
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
    }

    @Test
    void aRefusedPeerThatTakesNothingIsCutAfterTwoSeconds() {
        channel.peerTakes(0);
        leg.refuse(channel.alloc().buffer().writeBytes(text("no")));
        channel.passes(LINGER_MILLIS - 1);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.ending()).isEqualTo(OPEN);
        channel.passes(1);
        assertThat(channel.isOpen()).isFalse();
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
