package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much of a turn of the loop each of its connections gets. */
class LoopTurnTest {
    private final EventLoop loop = new DefaultEventLoop();

    @AfterEach
    void stop() {
        loop.shutdownGracefully();
    }

    /** In one turn of the loop. */
    private List<Integer> read(int connections) throws Exception {
        return loop.submit(() -> {
            List<Integer> shares = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                shares.add(LoopTurn.begin(loop));
            }
            return shares;
        }).get();
    }

    @Test
    void fewReadWhatABufferHoldsAndAThousandTogetherNoMoreThanThat() throws Exception {
        assertThat(read(16)).containsOnly(LoopMemory.BUFFER);
        List<Integer> first = read(1_000);
        assertThat(first.get(999)).as("of those that come late in a turn that nobody foresaw").isEqualTo(LoopTurn.OCTETS / 1_000);
        assertThat(read(1_000)).as("the turn after it").containsOnly(LoopTurn.OCTETS / 1_000);
        assertThat(read(10).get(0)).as("the last turn with many still counts").isEqualTo(LoopTurn.OCTETS / 1_000);
        assertThat(read(10)).as("and then no more").containsOnly(LoopMemory.BUFFER);
    }

    @Test
    void ofVeryManyEachReadsWhatIsWorthACall() throws Exception {
        read(10_000);
        assertThat(read(10_000)).containsOnly(LoopTurn.LEAST);
    }

    @Test
    void aTurnThatMovedMuchOffersTheProcessorAndOneThatMovedLittleDoesNot() {
        Offers offers = new Offers();
        offers.turn(LoopMemory.LEAST_ROOM - 1);
        assertThat(offers.count).isZero();
        offers.turn(LoopMemory.LEAST_ROOM);
        assertThat(offers.count).isEqualTo(1);
        offers.turn(1);
        assertThat(offers.count).as("the octets of the turn before do not count").isEqualTo(1);
    }

    @Test
    void besideAProgramThatNeverPausesTheLoopKeepsItsShare() {
        Offers offers = new Offers();
        offers.awayNanos = 3 * LoopTurn.LONG_NANOS / 2;
        long away = 0;
        long begin = offers.now;
        for (int i = 0; i < 10_000; i++) {
            int before = offers.count;
            offers.turn(LoopMemory.BUFFER);
            away += (offers.count - before) * offers.awayNanos;
        }
        assertThat(offers.count).as("offers").isGreaterThan(10);
        assertThat((double) away / (offers.now - begin)).as("share of its time that it gave away").isLessThan(1.0 / LoopTurn.RESTS);

        offers.awayNanos = LoopTurn.LONG_NANOS;
        offers.now += LoopTurn.RESTS * 2 * LoopTurn.LONG_NANOS;
        int before = offers.count;
        for (int i = 0; i < 100; i++) {
            offers.turn(LoopMemory.BUFFER);
        }
        assertThat(offers.count - before).as("offers beside those who come back in time").isEqualTo(100);
    }

    /** A loop whose turns take 100 µs, and what it meets when it offers its processor. */
    private static final class Offers {
        /** The clock's zero is arbitrary: its values may be negative. */
        private long now = -3_600_000_000_000L;
        private long awayNanos;
        private int count;
        private final LoopTurn turn = new LoopTurn(() -> now, () -> {
            count++;
            now += awayNanos;
        });

        void turn(int octets) {
            now += 100_000;
            turn.moved(octets);
            turn.run();
        }
    }
}
