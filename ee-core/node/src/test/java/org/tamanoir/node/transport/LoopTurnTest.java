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
}
