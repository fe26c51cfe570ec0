package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The loops of a node and how they share its memory; and what an error of the system reads like. */
class EventLoopsTest {
    private static final long MB = 1 << 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void theMemoryIsSharedOutEvenlyAndAskedForAnew(int threads) {
        AtomicLong memory = new AtomicLong(100 * MB);
        try (EventLoops loops = new EventLoops(threads, true, memory::get)) {
            assertThat(loops.all()).hasSize(threads).doesNotHaveDuplicates();
            assertThat(loops.all()).extracting(loop -> loops.memory(loop).limit()).containsOnly(100 * MB / threads);
            assertThat(loops.all()).extracting(loops::memory).as("one account a loop").doesNotHaveDuplicates();
            memory.set(10 * MB);
            assertThat(loops.all()).extracting(loop -> loops.memory(loop).limit()).containsOnly(10 * MB / threads);
            assertThat(loops.kind()).isEqualTo("nio");
            assertThat(loops.isEpoll()).isFalse();
        }
    }

    @Test
    void whatIsRetainedIsTheSumAndAClosedLoopKeepsNothing() {
        EventLoops loops = new EventLoops(2, true, () -> 100 * MB);
        ByteBuf kept = null;
        for (EventLoop loop : loops.all()) {
            kept = loops.memory(loop).take();
            loops.memory(loop).give(loops.memory(loop).take());
        }
        assertThat(loops.retained()).as("one buffer a loop; those that are free do not count").isEqualTo(2L * LoopMemory.BUFFER);
        loops.memory(loops.all().get(1)).give(kept);
        assertThat(loops.retained()).isEqualTo(LoopMemory.BUFFER);
        loops.close();
        assertThat(kept.refCnt()).as("a free buffer of a loop that has ended").isZero();
        assertThat(loops.group().isTerminated()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "connect(..) failed with error(-111): Connection refused: /192.0.2.1:3322 | Connection refused",
            "bind(..) failed with error(-98): Address already in use | Address already in use",
            "Connection refused: /192.0.2.1:3322 | Connection refused",
            "connection timed out after 3000 ms: /192.0.2.1:3322 | connection timed out after 3000 ms",
            "Connection refused: /192.0.2.9:1 | Connection refused: /192.0.2.9:1"})
    void anErrorReadsAsTheKernelHasSaidIt(String message, String reason) {
        assertThat(TcpSockets.reason(new Exception(message), new InetSocketAddress("192.0.2.1", 3322))).isEqualTo(reason);
    }
}
