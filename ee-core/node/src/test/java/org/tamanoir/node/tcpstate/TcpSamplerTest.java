package org.tamanoir.node.tcpstate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.paths.verdict.Cause;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;

/** Real connections on a real loop. */
class TcpSamplerTest {
    private final EventLoops loops = new EventLoops(1, false, () -> 64L << 20);
    private final EventLoop loop = loops.all().get(0);
    private final List<Socket> peers = new ArrayList<>();
    private TcpStateSettings settings = TcpStateSettings.PRESET;
    private final TcpStates states = new TcpStates(() -> settings);

    /** A connection of the loop that nobody uses. */
    private final class Idle implements SampledStream {
        private final TcpLeg leg;
        private final StreamTimes times = new StreamTimes();

        Idle() throws Exception {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<TcpLeg> made = new CompletableFuture<>();
                new TcpSockets(loops, null).connect(loop, (InetSocketAddress) server.getLocalSocketAddress(), false, 5000, connection -> made.complete(connection.leg(null)));
                peers.add(server.accept());
                leg = made.get(10, TimeUnit.SECONDS);
            }
        }

        @Override
        public TcpLeg before() {
            return leg;
        }

        @Override
        public TcpLeg after() {
            return leg;
        }

        @Override
        public StreamTimes times() {
            return times;
        }
    }

    @AfterEach
    void close() throws Exception {
        loops.close();
        for (Socket peer : peers) {
            peer.close();
        }
    }

    private <T> T onLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, loop).join();
    }

    private WatchedStream watch() throws Exception {
        Idle stream = new Idle();
        return onLoop(() -> states.sampler(loop).watch(stream));
    }

    @Test
    void theWholeStructIsKeptAndGivenBack() throws Exception {
        settings = new TcpStateSettings(true, Duration.ofMillis(100), Duration.ofMillis(100), 0, 20_000, 1 << 20);
        WatchedStream watched = watch();
        await().until(() -> states.why(loop, watched), why -> why != null && why.looks() > 3);
        TcpState state = onLoop(() -> watched.last().decoded().before());
        assertThat(state.get(TcpField.STATE)).as("established").isOne();
        assertThat(state.get(TcpField.SND_MSS)).isBetween(500L, 65_535L);
        assertThat(state.has(TcpField.RWND_LIMITED)).as("a kernel of this decade says what the verdict needs").isTrue();
        StreamReason why = states.why(loop, watched);
        assertThat(why.cause()).as("nobody sends").isEqualTo("source");
        assertThat(why.after().last()).containsEntry("state", 1L).containsKey("snd_cwnd");
        assertThat(why.history().ago()).isNotEmpty();
        assertThat(states.causes()).containsEntry(Cause.SOURCE, 1).containsEntry(Cause.NODE, 0);
        assertThat(states.counters().held().get()).isPositive();
        onLoop(() -> {
            states.sampler(loop).forget(watched);
            return null;
        });
        assertThat(states.counters().held().get()).as("the memory is given back").isZero();
    }

    @Test
    void beyondTheBudgetStreamsAreLookedAtLessOftenAndThatIsCounted() throws Exception {
        settings = new TcpStateSettings(true, Duration.ofMillis(100), Duration.ofMillis(100), 0, 20, 1 << 20);
        for (int i = 0; i < 10; i++) {
            watch();
        }
        long begin = System.nanoTime();
        long before = states.counters().reads().sum();
        await().until(() -> states.counters().skipped().sum() > 100);
        double seconds = (System.nanoTime() - begin) / 1e9;
        assertThat(states.counters().reads().sum() - before).isLessThanOrEqualTo((long) (20 * seconds) + 4);
        await().untilAsserted(() -> assertThat(onLoop(() -> states.sampler(loop).streams().stream().allMatch(each -> each.last() != null))).as("each has its turn").isTrue());
    }

    @Test
    void itCanBeSwitchedOffAndOnAgain() throws Exception {
        settings = TcpStateSettings.OFF;
        WatchedStream watched = watch();
        assertThat(onLoop(watched::last)).isNull();
        settings = TcpStateSettings.PRESET;
        await().until(() -> onLoop(watched::last) != null);
    }
}
