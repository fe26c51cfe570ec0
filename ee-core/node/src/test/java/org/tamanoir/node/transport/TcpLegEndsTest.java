package org.tamanoir.node.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.transport.LegChannel.Ending.FIN;
import static org.tamanoir.node.transport.LegChannel.Ending.OPEN;
import static org.tamanoir.node.transport.LegChannel.Ending.RESET;
import static org.tamanoir.node.transport.LegLog.packets;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a connection writes, and how the peer sees its end; the connection is a {@link LegChannel}. */
class TcpLegEndsTest {
    private static final int LINGER_MILLIS = 2000;

    private final LegChannel channel = new LegChannel();
    private final LegLog log = new LegLog();
    private final TcpLeg leg = channel.leg(log, log);

    @AfterEach
    void nothingLeaks() {
        channel.assertNothingLeaks();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, US_ASCII);
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

    @Test
    void whatWaitsInFrontOfAnEndIsMovedBeforeItAndNeverAfter() {
        ByteBuf read = channel.memory().take().writeZero(10);
        channel.peerTakes(0);
        leg.write(read.retainedSlice(0, 10));
        leg.flush();
        assertThat(read.refCnt()).as("left where it came in").isEqualTo(2);
        leg.finish();
        assertThat(read.refCnt()).as("moved").isEqualTo(1);
        channel.memory().give(read);
        leg.tidy();
        assertThat(log.lines()).as("the end is not told because octets have moved").containsExactly("no room");
        channel.peerTakes(10);
        assertThat(log.lines()).contains("finished");
        assertThat(channel.got().readableBytes()).isEqualTo(10);
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
}
