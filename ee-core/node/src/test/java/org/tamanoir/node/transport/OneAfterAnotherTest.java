package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.transport.LegChannel.Ending.FIN;
import static org.tamanoir.node.transport.LegChannel.Ending.OPEN;
import static org.tamanoir.node.transport.LegChannel.Ending.RESET;
import static org.tamanoir.node.transport.LegLog.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.KeptConnections;
import org.tamanoir.anep.PacketBuilder;

/** One stream after another on a connection (docs/anep.md), from the opener's side and from the acceptor's. */
class OneAfterAnotherTest {
    private static final int LINGER_MILLIS = 2000;
    private static final long KEPT_MILLIS = TimeUnit.NANOSECONDS.toMillis(KeptConnections.LONGEST);

    private final LegChannel channel = new LegChannel();
    private final LegLog first = new LegLog();
    private final LegLog second = new LegLog();

    @AfterEach
    void nothingLeaks() {
        channel.assertNothingLeaks();
    }

    private static ByteBuf control(ConnectionUse... uses) {
        ByteBuf all = Unpooled.buffer();
        for (ConnectionUse use : uses) {
            ByteBuf one = PacketBuilder.control(UnpooledByteBufAllocator.DEFAULT, use);
            all.writeBytes(one);
            one.release();
        }
        return all;
    }

    private static ByteBuf all(ByteBuf... parts) {
        return Unpooled.wrappedBuffer(parts);
    }

    private void writes(TcpLeg leg, ByteBuf octets) {
        leg.write(channel.memory().copy(octets, octets.readerIndex(), octets.readableBytes()));
        leg.flush();
    }

    // The opener.

    /** A stream of one packet each way, after which the connection is kept; the acceptor has not said yet that it is ready. */
    private TcpLeg keptOpener() {
        TcpLeg leg = channel.offeredLeg(first, first);
        writes(leg, packet(0x5401, 3));
        channel.peerSends(all(control(ConnectionUse.ACCEPT), packet(0x5401, 4)));
        leg.finish();
        channel.peerSends(control(ConnectionUse.END));
        assertThat(first.lines()).containsExactly("5401:4 octets", "finished", "ended");
        assertThat(channel.got()).isEqualTo(all(packet(0x5401, 3), control(ConnectionUse.END)));
        assertThat(leg.release()).as("it is the opener that opens").isFalse();
        assertThat(leg.isOpen()).isTrue();
        return leg;
    }

    /** The second stream on the connection; nothing has been written or read of it. */
    private TcpLeg secondStream() {
        TcpLeg leg = keptOpener();
        channel.peerSends(control(ConnectionUse.READY));
        assertThat(channel.kept().take(LegChannel.PEER)).isSameAs(leg);
        leg.offerAgain();
        leg.events(second);
        leg.flowTo(second);
        return leg;
    }

    @Test
    void anOpenerThatHasSeenNoAcceptEndsByFin() {
        TcpLeg leg = channel.offeredLeg(first, first);
        leg.finish();
        assertThat(channel.ending()).isEqualTo(FIN);
        channel.peerEnds();
        assertThat(leg.release()).isFalse();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.kept().take(LegChannel.PEER)).isNull();
    }

    @Test
    void aKeptConnectionIsTakenOnceAndNotBeforeTheAcceptorIsReady() {
        TcpLeg leg = keptOpener();
        assertThat(channel.kept().take(LegChannel.PEER)).isNull();
        channel.peerSends(control(ConnectionUse.READY));
        assertThat(channel.kept().take(LegChannel.PEER)).isSameAs(leg);
        assertThat(channel.kept().take(LegChannel.PEER)).as("again").isNull();
    }

    @Test
    void everyStreamCountsItsOwnOctets() {
        TcpLeg leg = secondStream();
        assertThat(IntStream.of((int) leg.sent(), (int) leg.received(), (int) leg.packets())).containsOnly(0);
        writes(leg, packet(0x5401, 5));
        channel.peerSends(all(packet(0x5401, 6), control(ConnectionUse.END)));
        assertThat(second.lines()).containsExactly("5401:6 octets", "ended");
        leg.finish();
        assertThat(channel.got()).isEqualTo(all(packet(0x5401, 5), control(ConnectionUse.END)));
        assertThat(first.lines()).as("the owner of before").hasSize(3);
        leg.release();
        channel.peerSends(control(ConnectionUse.READY));
        assertThat(channel.kept().take(LegChannel.PEER)).as("for a third stream").isSameAs(leg);
    }

    static Stream<Arguments> ofNoMoreUse() {
        return Stream.of(idle("FIN", LegChannel::peerEnds, FIN), idle("reset", LegChannel::peerResets, RESET),
                idle("a packet", channel -> channel.peerSends(packet(0x5401, 1)), RESET),
                idle("ready twice", channel -> channel.peerSends(control(ConnectionUse.READY)), RESET),
                idle("no packet", channel -> channel.peerSends(2), RESET));
    }

    private static Arguments idle(String name, Consumer<LegChannel> happens, LegChannel.Ending ending) {
        return Arguments.of(name, happens, ending);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ofNoMoreUse")
    void whateverElseComesBetweenTwoStreamsEndsTheConnection(String name, Consumer<LegChannel> happens, LegChannel.Ending ending) {
        keptOpener();
        channel.peerSends(control(ConnectionUse.READY));
        happens.accept(channel);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(ending);
        assertThat(channel.kept().take(LegChannel.PEER)).isNull();
        assertThat(first.lines()).as("the owner of the stream before hears nothing of it").hasSize(3);
    }

    @Test
    void sixtyFourConnectionsAreKeptAndOneThatEndsLeavesItsPlace() {
        List<LegChannel> others = new ArrayList<>();
        for (int i = 0; i < KeptConnections.MOST; i++) {
            others.add(keptBesides());
        }
        assertThat(others).allMatch(LegChannel::isOpen);
        assertThat(keptBesides().isOpen()).as("one more").isFalse();
        others.get(10).peerEnds();
        others.get(20).peerResets();
        assertThat(keptBesides().isOpen()).isTrue();
        assertThat(keptBesides().isOpen()).isTrue();
        assertThat(keptBesides().isOpen()).isFalse();
        others.forEach(LegChannel::close);
    }

    /** Another connection of the same loop to the same hop, whose stream is over. */
    private LegChannel keptBesides() {
        LegChannel other = new LegChannel(channel.memory(), Ticker.newMockTicker());
        TcpLeg leg = other.leg(first, first);
        leg.offer(channel.kept());
        other.peerSends(control(ConnectionUse.ACCEPT, ConnectionUse.END));
        leg.finish();
        leg.release();
        other.settle();
        return other;
    }

    @Test
    void aConnectionIsKeptForFifteenSeconds() {
        keptOpener();
        channel.peerSends(control(ConnectionUse.READY));
        for (long second = 0; second < KEPT_MILLIS / 1000 - 1; second++) {
            channel.passes(1000);
        }
        assertThat(channel.isOpen()).isTrue();
        channel.passes(2000);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(channel.kept().take(LegChannel.PEER)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 64 * 1024, 64 * 1024 + 1, 200_000})
    void aStreamThatNobodyHasSeenIsGivenBackToBeSentAgain(int octets) {
        byte[] request = new byte[octets];
        new Random(octets).nextBytes(request);
        TcpLeg leg = secondStream();
        for (int at = 0; at < octets; at += 30_000) {
            writes(leg, Unpooled.wrappedBuffer(request, at, Math.min(30_000, octets - at)));
        }
        channel.peerEnds();
        assertThat(second.lines()).containsExactly("unseen");
        if (octets > 64 * 1024) {
            assertThat(second.unseen()).as("more than is kept").isNull();
        } else {
            assertThat(second.unseen()).isEqualTo(Unpooled.wrappedBuffer(request));
            second.unseen().release();
        }
        assertThat(channel.isOpen()).isFalse();
        channel.passes(LINGER_MILLIS);
        assertThat(second.lines()).as("nothing else comes").hasSize(1);
    }

    @Test
    void whatTheSocketHasNotTakenIsGivenBackTooAndMayBeForgotten() {
        TcpLeg leg = secondStream();
        channel.peerTakes(4);
        writes(leg, packet(0x5401, 20));
        channel.peerEnds();
        assertThat(second.lines()).containsExactly("no room", "unseen");
        assertThat(second.unseen()).isEqualTo(packet(0x5401, 20));
        second.unseen().release();
    }

    @Test
    void aStreamOfWhichAnythingHasComeBackIsNotSentAgain() {
        TcpLeg leg = secondStream();
        writes(leg, packet(0x5401, 20));
        long before = channel.memory().retained();
        channel.peerSends(1);
        assertThat(channel.memory().retained()).as("the copy is let go").isLessThan(before + 20);
        channel.peerEnds();
        assertThat(second.lines()).containsExactly("ended inside a packet");
    }

    @Test
    void aStreamThatIsResetIsNotSentAgain() {
        TcpLeg leg = secondStream();
        writes(leg, packet(0x5401, 20));
        channel.peerResets();
        assertThat(second.lines()).containsExactly("broken EE-211");
    }

    @Test
    void theFirstStreamOnAConnectionIsNeverUnseen() {
        TcpLeg leg = channel.offeredLeg(first, first);
        writes(leg, packet(0x5401, 3));
        channel.peerEnds();
        assertThat(first.lines()).containsExactly("ended");
        leg.abort();
    }

    @Test
    void anOwnerThatCutsTheStreamLetsGoOfWhatMayBeSentAgain() {
        TcpLeg leg = secondStream();
        writes(leg, packet(0x5401, 1000));
        leg.abort();
        channel.memory().tidy();
        assertThat(channel.memory().retained()).isZero();
        assertThat(second.lines()).isEmpty();
    }

    // The acceptor.

    private TcpLeg acceptor() {
        TcpLeg leg = channel.leg(first, first);
        leg.flowTo(first);
        channel.peerSends(packet(0x5401, 3));
        leg.accept();
        return leg;
    }

    @Test
    void anAcceptLeadsTheFirstOctetsBackAndIsSaidOnce() {
        TcpLeg leg = acceptor();
        assertThat(channel.got().isReadable()).as("before there is anything to send").isFalse();
        writes(leg, packet(0x5401, 1));
        leg.accept();
        writes(leg, packet(0x5401, 2));
        leg.finish();
        assertThat(channel.got()).isEqualTo(all(control(ConnectionUse.ACCEPT), packet(0x5401, 1), packet(0x5401, 2), control(ConnectionUse.END)));
        assertThat(channel.ending()).isEqualTo(OPEN);
    }

    /** Ready with the end if all is delivered, otherwise when the stream is released. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readyIsSaidOnceWhenNothingOfTheStreamIsLeft(boolean deliveredFirst) {
        TcpLeg leg = acceptor();
        channel.peerSends(control(ConnectionUse.END));
        assertThat(first.lines()).containsExactly("5401:3 octets", "ended");
        if (deliveredFirst) {
            leg.delivered();
        }
        leg.finish();
        ByteBuf end = control(ConnectionUse.ACCEPT, ConnectionUse.END);
        assertThat(channel.got()).isEqualTo(deliveredFirst ? all(end, control(ConnectionUse.READY)) : end);
        assertThat(leg.release()).isTrue();
        assertThat(channel.got()).isEqualTo(deliveredFirst ? Unpooled.EMPTY_BUFFER : control(ConnectionUse.READY));
    }

    @Test
    void theNextStreamGoesToItsOwnSinkAndWithoutTheCodePointOfTheOneBefore() {
        TcpLeg leg = acceptor();
        leg.mark(46);
        channel.peerSends(control(ConnectionUse.END));
        leg.finish();
        assertThat(leg.release()).isTrue();
        leg.reopen(second, second);
        channel.peerSends(packet(0x5402, 7));
        assertThat(second.lines()).containsExactly("5402:7 octets");
        assertThat(leg.packets()).isEqualTo(1);
        channel.got();
        writes(leg, packet(0x5402, 1));
        assertThat(channel.codePoints()).isEqualTo(Unpooled.wrappedBuffer(new byte[9]));
        channel.peerSends(control(ConnectionUse.END));
        leg.finish();
        assertThat(second.lines()).containsExactly("5402:7 octets", "ended", "finished");
        assertThat(first.lines()).hasSize(3);
        assertThat(leg.release()).as("and so on").isTrue();
    }

    @Test
    void anAcceptorAtWhichNothingIsOfferedEndsByFinAndCloses() {
        TcpLeg leg = channel.leg(first, first);
        leg.finish();
        assertThat(channel.got().isReadable()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
        channel.peerEnds();
        assertThat(leg.release()).isFalse();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aPeerThatEndsByFinOpensNothingMore() {
        TcpLeg leg = acceptor();
        channel.peerEnds();
        leg.finish();
        assertThat(channel.got()).as("an end says that the stream was seen, FIN that there is no other")
                .isEqualTo(control(ConnectionUse.ACCEPT, ConnectionUse.END));
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(leg.release()).isFalse();
    }

    @Test
    void aPacketBehindTheEndOfItsStreamIsMalformed() {
        acceptor();
        channel.peerSends(all(control(ConnectionUse.END), packet(0x5401, 1)));
        assertThat(first.lines()).containsExactly("5401:3 octets", "ended", "broken EE-108");
    }

    @ParameterizedTest
    @EnumSource(value = ConnectionUse.class, names = "END", mode = EnumSource.Mode.EXCLUDE)
    void whatAnOpenerMayNotSayBreaksTheConnection(ConnectionUse use) {
        acceptor();
        channel.peerSends(control(use));
        assertThat(first.lines()).containsExactly("5401:3 octets", "broken EE-108");
    }

    /** The opener that sends a stream at this moment sees FIN before any packet, and sends it again elsewhere. */
    @Test
    void whoGivesUpEndsByFinAndThrowsAwayForTwoSecondsWhatStillComes() {
        TcpLeg leg = acceptor();
        channel.peerSends(control(ConnectionUse.END));
        leg.finish();
        assertThat(leg.release()).isTrue();
        leg.reopen(second, second);
        channel.got();
        leg.giveUp();
        assertThat(channel.ending()).isEqualTo(FIN);
        channel.peerSends(packet(0x5402, 60_000));
        assertThat(channel.unread()).isZero();
        assertThat(channel.got().isReadable()).as("a packet would say that the stream was seen").isFalse();
        channel.passes(LINGER_MILLIS - 1);
        assertThat(channel.isOpen()).isTrue();
        channel.passes(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.ending()).isEqualTo(FIN);
        assertThat(second.lines()).isEmpty();
    }
}
