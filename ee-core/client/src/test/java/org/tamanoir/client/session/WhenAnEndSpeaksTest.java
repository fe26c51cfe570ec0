package org.tamanoir.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Crc32c;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Welcome;

/** When an end says what, and when it gives a leg or the session up; as {@code WhenAnEndSpeaks} in Python. */
class WhenAnEndSpeaksTest {
    private static final byte[] HELLO = "hello".getBytes();
    private static final int SUM = Crc32c.append(0, ByteBuffer.wrap(HELLO));
    private static final int BLOCK = 60_000;
    private static final Mark NOTHING = new Mark(0, 0, false, 0, false, null);

    private final Ears ears = new Ears();
    private final RingBudget budget = new RingBudget(64 << 20);
    private final SessionEnd end = SessionEnd.opener(0, 7, 11, 13, 16 << 20, budget, SessionSimulation.WINDOW, ears, new Random(1));

    @BeforeEach
    void aLegStands() {
        end.onTimer(0);
        end.opening(0);
        assertThat(end.hasBegun()).isFalse();
        end.welcomed(0, 1, new Welcome(0, 0));
        assertThat(end.hasBegun()).isTrue();
        said(0.05, NOTHING);
    }

    @AfterEach
    void nothingIsLeft() {
        end.giveUp(at(1_000));
        assertThat(budget.used()).as("memory that is left").isZero();
    }

    private static long at(double seconds) {
        return Math.round(seconds * SessionSimulation.SECOND);
    }

    /** The next thing to do is this mark, at this time. */
    private void said(double seconds, Mark mark) {
        int count = ears.marks.size();
        assertThat(end.deadline()).isEqualTo(at(seconds));
        end.onTimer(at(seconds) - 1);
        assertThat(ears.marks).as("before its time").hasSize(count);
        end.onTimer(at(seconds));
        assertThat(ears.marks.subList(count, ears.marks.size())).containsExactly(mark);
    }

    private static ByteBuf hello() {
        return Unpooled.copiedBuffer(HELLO);
    }

    private static Mark hello(boolean last, long kept, boolean keptLast) {
        return new Mark(HELLO.length, SUM, last, kept, keptLast, null);
    }

    /** Both directions carry five octets and end; the far end does not know yet that what it sent is kept. */
    private void everythingIsHere() {
        end.write(at(1), hello());
        end.end(at(1));
        end.octets(at(1), 1, hello());
        end.mark(at(1), 1, hello(true, 5, true));
        end.kept(at(1), 5);
    }

    @Test
    void whatIsNewIsSaid50MillisLaterAndWhereNothingIsEvery2Seconds() {
        end.write(at(1), hello());
        said(1.05, hello(false, 0, false));
        said(3.05, hello(false, 0, false));
        end.octets(at(4), 1, hello());
        said(5.05, hello(false, 0, false));
        end.kept(at(6), 3);
        said(6.05, hello(false, 3, false));
        end.mark(at(7), 1, hello(false, 5, false));
        said(8.05, hello(false, 3, false));
        end.end(at(9));
        said(9.05, hello(true, 3, false));
        end.mark(at(10), 1, hello(true, 5, true));
        end.kept(at(10), 5);
        assertThat(ears.marks).as("at once, as the far end may wait for this alone").endsWith(hello(true, 5, true));
        said(12, hello(true, 5, true));
        end.mark(at(12), 1, new Mark(5, SUM, true, 5, true, true, null, List.of()));
        assertThat(ears.heard).endsWith("mark 5 done end done ");
    }

    /** The other order: everything is kept when the far end says that it ends. */
    @Test
    void theEndOfTheOtherDirectionIsAnsweredAtOnce() {
        end.octets(at(1), 1, hello());
        end.kept(at(1), 5);
        int count = ears.marks.size();
        end.mark(at(1), 1, hello(true, 0, false));
        assertThat(ears.marks.subList(count, ears.marks.size())).containsExactly(new Mark(0, 0, false, 5, true, null));
    }

    @Test
    void aMarkStandsAfterEveryMebibyteOfEachDirection() {
        byte[] block = new byte[BLOCK];
        for (int i = 0; i < 40; i++) {
            assertThat(end.write(at(1), Unpooled.wrappedBuffer(block))).isEqualTo(BLOCK);
            end.octets(at(1), 1, Unpooled.wrappedBuffer(block));
        }
        assertThat(end.unsent()).isZero();
        assertThat(ears.marks.stream().skip(1).map(Mark::offset)).containsExactly(1L << 20, 2L << 20);
        for (int i = 1; i <= 40; i++) {
            end.kept(at(1), (long) i * BLOCK);
        }
        assertThat(ears.marks.stream().skip(3).map(Mark::kept)).containsExactly(1_080_000L, 2_160_000L);
    }

    @Test
    void silenceMeansNothingWhileTheProgramTakesNothing() {
        end.reading(at(1), false);
        for (int second = 3; second < 10; second += 2) {
            end.onTimer(at(second));
        }
        end.reading(at(10), true);
        end.onTimer(at(14.9));
        assertThat(ears.heard).doesNotContain("reset");
        assertThat(end.deadline()).isEqualTo(at(15));
        end.onTimer(at(15));
        assertThat(ears.heard).endsWith("reset ");
    }

    @Test
    void aLegThatStoodIsReplacedAtOnceAndOthersAfterPauses() {
        end.lost(at(5), 1);
        assertThat(end.deadline()).isEqualTo(at(5));
        end.onTimer(at(5));
        end.opening(at(5));
        assertThat(end.write(at(5), hello())).isEqualTo(5);
        assertThat(end.unsent()).as("there is no leg").isEqualTo(5);
        end.lost(at(6), 2);
        assertThat(end.deadline()).isBetween(at(6.1), at(6.2));
        end.onTimer(at(7));
        end.opening(at(7));
        end.welcomed(at(7), 2, new Welcome(0, 0));
        assertThat(ears.heard).as("an answer to another leg means nothing").doesNotContain("octets");
        end.welcomed(at(7), 3, new Welcome(0, 0));
        assertThat(ears.heard).endsWith("octets 5 ");
        end.lost(at(8), 3);
        assertThat(end.deadline()).isEqualTo(at(8));
        assertThat(end.losses()).isEqualTo(new Losses(1, 0, at(7)));
    }

    @Test
    void nothingLeavesWhileTheLegHasNoRoomAndNoOtherLegGivesIt() {
        ears.room = false;
        end.write(at(1), hello());
        end.write(at(1), hello());
        assertThat(end.unsent()).isEqualTo(5);
        end.room(at(2), 2);
        assertThat(end.unsent()).isEqualTo(5);
        end.room(at(2), 1);
        assertThat(end.unsent()).isZero();
    }

    /** Wrong: a success that is reported as a failure, as the far end has everything and has forgotten it. */
    @Test
    void whoHasEverythingIsDoneWhenNobodyKnowsTheSessionOrIsThereAnyMore() {
        everythingIsHere();
        end.lost(at(2), 1);
        end.onTimer(at(2));
        end.refused(1, ErrorCode.SESSION_UNKNOWN);
        assertThat(end.isOver()).as("of a leg before").isFalse();
        end.refused(2, ErrorCode.SESSION_UNKNOWN);
        assertThat(ears.heard).endsWith("open 2 done ");
        end.refused(2, ErrorCode.SESSION_UNKNOWN);
        assertThat(ears.heard).as("once").endsWith("open 2 done ");
    }

    @Test
    void whoHasEverythingAndFindsNobodyIsDoneAfterItsWindow() {
        everythingIsHere();
        end.lost(at(2), 1);
        end.onTimer(at(1.9) + SessionSimulation.WINDOW);
        assertThat(end.isOver()).isFalse();
        end.onTimer(at(2) + SessionSimulation.WINDOW);
        assertThat(ears.heard).endsWith("done ");
    }

    @Test
    void whoGivesUpSaysSoOnceAndWhoIsToldEnds() {
        end.giveUp(at(1));
        assertThat(ears.heard).endsWith("mark 0 EE-228 end ");
        end.giveUp(at(1));
        assertThat(ears.heard).endsWith("mark 0 EE-228 end ");
        assertThat(end.deadline()).isEqualTo(Long.MAX_VALUE);
        Ears others = new Ears();
        SessionEnd told = SessionEnd.opener(0, 7, 11, 13, 1 << 20, new RingBudget(1 << 20), SessionSimulation.WINDOW, others, new Random(1));
        told.onTimer(0);
        told.opening(0);
        told.welcomed(0, 1, new Welcome(0, 0));
        told.mark(1, 1, new Mark(0, 0, false, 0, false, ErrorCode.SESSION_ABANDONED));
        assertThat(others.heard).endsWith("reset EE-228 ");
    }

    @Test
    void aFarEndThatHasMoreThanWasSentIsNotBelieved() {
        end.lost(at(1), 1);
        end.onTimer(at(1));
        end.opening(at(1));
        end.welcomed(at(1), 2, new Welcome(1, 0));
        assertThat(ears.heard).endsWith("EE-226 ");
    }
}
