package org.tamanoir.node.tcpstate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.paths.verdict.Cause;
import org.tamanoir.paths.verdict.TcpField;
import org.tamanoir.paths.verdict.TcpState;
import org.tamanoir.service.tcp.TcpConnection;
import org.tamanoir.service.tcp.TcpStreams;
import org.tamanoir.service.tcp.TcpStreams.Ended;
import org.tamanoir.service.tcp.TcpStreams.Report;
import org.tamanoir.service.tcp.TcpStreams.StreamState;

/** Real connections on a real loop. */
class TcpSamplerTest {
    private static final InetSocketAddress SOURCE = new InetSocketAddress("192.0.2.1", 1111);
    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.2", 2222);

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

        @Override
        public Facts facts() {
            return new Facts(7, PEER, SOURCE, PEER, PEER, List.of(0x5401), 1);
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
            states.sampler(loop).forget(watched, null);
            return null;
        });
        assertThat(states.counters().held().get()).as("the memory is given back").isZero();
    }

    @Test
    @Tag("long")
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

    /** What a service is told: of each look once, at the verdict's word, and of each end once, though it is asked for long after. */
    @Test
    @Tag("long")
    void aServiceThatFollowsIsToldOfEachLookAndOfEachEndOnce() throws Exception {
        settings = new TcpStateSettings(true, Duration.ofMillis(100), Duration.ofMillis(100), 0, 20_000, 1 << 20);
        BlockingQueue<Report> reports = new LinkedBlockingQueue<>();
        TcpStreams streams = states.forService(loop, Runnable::run);
        assertThatThrownBy(() -> streams.follow(Duration.ofMillis(99), reports::add)).isInstanceOf(IllegalArgumentException.class);
        streams.follow(Duration.ofMillis(100), reports::add);
        WatchedStream watched = watch();
        WatchedStream shortOne = watch();
        long last = 0;
        StreamState seen = null;
        for (int looks = 0; looks < 20 || seen.reason() == null; ) {
            for (StreamState each : reports.poll(10, TimeUnit.SECONDS).streams()) {
                assertThat(each.seenNanos()).as("each look once").isGreaterThanOrEqualTo(last);
                last = each.seenNanos();
                looks++;
                seen = each;
            }
        }
        assertThat(seen).extracting(StreamState::number, StreamState::source, StreamState::destination, StreamState::beganNanos).containsExactly(7L, SOURCE, PEER, 1L);
        assertThat(seen.reason().cause()).isEqualTo("source");
        TcpConnection after = seen.after();
        assertThat(after.peer()).isEqualTo(PEER);
        assertThat(after.field("state")).as("established").isOne();
        assertThat(after.segmentOctets()).isBetween(500L, 65_535L);
        assertThat(after.congestionWindow()).isPositive();
        assertThat(after.limitedByPeerMicros()).as("this kernel knows it").isZero();
        assertThat(after.field("no_such_field")).isEqualTo(-1);
        assertThat(onLoop(() -> {
            states.sampler(loop).forget(watched, null);
            states.sampler(loop).forget(shortOne, "EE-205 cut");
            return states.counters().held().get();
        })).as("kept until it is told").isPositive();
        List<Ended> ended = new ArrayList<>();
        await().until(() -> {
            for (Report report = reports.poll(); report != null; report = reports.poll()) {
                ended.addAll(report.ended());
                assertThat(report.missed()).isZero();
            }
            return ended.size() >= 2;
        });
        assertThat(ended).extracting(Ended::failure).containsExactly(null, "EE-205 cut");
        assertThat(ended.get(0).last().reason().cause()).isEqualTo("source");
        assertThat(states.counters().held().get()).as("the memory is given back").isZero();
        ((AutoCloseable) streams).close();
        onLoop(() -> null);
        WatchedStream late = watch();
        onLoop(() -> {
            states.sampler(loop).forget(late, null);
            return null;
        });
        assertThat(states.counters().held().get()).isZero();
        assertThat(reports.stream().flatMap(report -> report.ended().stream())).as("after its end").isEmpty();
    }

    @Test
    void endsForWhichThereIsNoRoomAreCounted() throws Exception {
        BlockingQueue<Report> reports = new LinkedBlockingQueue<>();
        states.forService(loop, Runnable::run).follow(Duration.ofMillis(100), reports::add);
        Idle stream = new Idle();
        onLoop(() -> {
            for (int i = 0; i < TcpStreams.MOST_ENDED + 3; i++) {
                states.sampler(loop).forget(states.sampler(loop).watch(stream), null);
            }
            return null;
        });
        Report report = reports.poll(10, TimeUnit.SECONDS);
        assertThat(report.ended()).hasSize(TcpStreams.MOST_ENDED);
        assertThat(report.ended().get(0).last().before()).as("it was never looked at").isNull();
        assertThat(report.missed()).isEqualTo(3);
    }
}
