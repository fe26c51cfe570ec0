package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much one connection reads before the others of its loop have their turn. */
class ReadBudgetTest {
    private static final int ROOM = 64 * 1024;

    private final ByteBuf next = Unpooled.buffer(ROOM);
    private final ReadBudget budget = new ReadBudget(most -> next, () -> LoopMemory.BUFFER);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ExtendedHandle handle = (ExtendedHandle) budget.newHandle();

    @BeforeEach
    void aTurnBegins() {
        handle.reset(channel.config());
    }

    /** Reads pieces of that size out of what is there, as a channel does; returns how many reads it made. */
    private int turn(int octets, int there) {
        int left = there;
        int reads = 0;
        do {
            assertThat(handle.allocate(channel.alloc())).isSameAs(next);
            handle.attemptedBytesRead(ROOM);
            int read = Math.min(octets, left);
            left -= read;
            handle.lastBytesRead(read);
            handle.incMessagesRead(1);
            reads++;
        } while (handle.continueReading(() -> true));
        handle.readComplete();
        return reads;
    }

    @ParameterizedTest
    @CsvSource({"65536, 16, 8", "32768, 31, 15", "1000, 64, 64", "1, 64, 64", "1048576, 1, 1", "1000000, 1, 1"})
    void aTurnEndsAfterSoManyOctetsOrReadsAndAfterHalfOfThemBehindALongOne(int octets, int reads, int next) {
        assertThat(turn(octets, Integer.MAX_VALUE)).isEqualTo(reads);
        assertThat(budget.isSpent()).as("there may be more").isTrue();
        handle.reset(channel.config());
        assertThat(turn(octets, Integer.MAX_VALUE)).as("the next turn").isEqualTo(next);
        handle.reset(channel.config());
        turn(1, 1);
        handle.reset(channel.config());
        assertThat(turn(octets, Integer.MAX_VALUE)).as("after one that read little").isEqualTo(reads);
    }

    @Test
    void aTurnEndsWhenNothingIsLeft() {
        assertThat(turn(1000, 2500)).as("the fourth read finds nothing").isEqualTo(4);
        assertThat(budget.isSpent()).isFalse();
    }

    @Test
    void aReadThatDoesNotFillItsRoomIsTheLast() {
        handle.attemptedBytesRead(ROOM);
        handle.lastBytesRead(ROOM);
        assertThat(handle.continueReading()).isTrue();
        handle.lastBytesRead(ROOM - 1);
        assertThat(handle.continueReading()).isFalse();
    }

    /** Three reads of eight places each find 8, 8 and 4 datagrams; the octets that a transport reports are those of the places. */
    @ParameterizedTest
    @CsvSource({"false, 3", "true, 4"})
    void datagramsAreReadUntilPlacesStayEmptyOrUntilNothingIsLeft(boolean untilEmpty, int reads) {
        ReadBudget datagrams = ReadBudget.ofMessages(() -> next, () -> 1);
        datagrams.untilEmpty(untilEmpty);
        ExtendedHandle turn = (ExtendedHandle) datagrams.newHandle();
        turn.reset(channel.config());
        int made = 0;
        int left = 20;
        long moved = LoopTurn.octets();
        do {
            int read = Math.min(8, left);
            left -= read;
            turn.attemptedBytesRead(8 * LoopMemory.DATAGRAM);
            turn.lastBytesRead(read == 0 ? -1 : read * LoopMemory.DATAGRAM);
            turn.incMessagesRead(read);
            made++;
        } while (turn.continueReading(() -> true));
        turn.readComplete();
        assertThat(made).isEqualTo(reads);
        assertThat(LoopTurn.octets() - moved).as("what a turn with 20 datagrams counts for").isEqualTo(20 * LoopTurn.LEAST);
        assertThat(datagrams.isSpent()).isFalse();
        assertThat(turn.continueReading(() -> true)).isFalse();
        turn.reset(channel.config());
        turn.attemptedBytesRead(8 * LoopMemory.DATAGRAM);
        turn.lastBytesRead(8 * LoopMemory.DATAGRAM);
        turn.incMessagesRead(64);
        assertThat(turn.continueReading(() -> true)).as("after so many").isFalse();
        turn.readComplete();
        assertThat(datagrams.isSpent()).isTrue();
    }

    @Test
    void anEndEndsTheTurnAndCountsNothing() {
        handle.attemptedBytesRead(ROOM);
        handle.lastBytesRead(-1);
        assertThat(handle.continueReading(() -> true)).isFalse();
        handle.readComplete();
        assertThat(budget.isSpent()).isFalse();
    }

    @Test
    void whoIsPausedReadsNoFurther() {
        handle.attemptedBytesRead(ROOM);
        handle.lastBytesRead(ROOM);
        channel.config().setAutoRead(false);
        assertThat(handle.continueReading(() -> true)).isFalse();
    }

    /** A call of the system takes time for each datagram that it could bring. */
    @Test
    void theNextCallHasPlacesForAsManyDatagramsAsCome() {
        ReadBudget datagrams = ReadBudget.ofMessages(() -> next, () -> 1);
        ExtendedHandle calls = (ExtendedHandle) datagrams.newHandle();
        List<Integer> places = new ArrayList<>();
        for (int come : new int[] {1, 4, 16, 64, 64, 5, 4, 1, 1, 0, 1}) {
            places.add(datagrams.places());
            calls.attemptedBytesRead(datagrams.places() * LoopMemory.DATAGRAM);
            calls.lastBytesRead(come == 0 ? -1 : Math.min(come, datagrams.places()) * LoopMemory.DATAGRAM);
        }
        assertThat(places).containsExactly(4, 4, 16, 64, 64, 64, 64, 16, 4, 4, 4);
    }
}
