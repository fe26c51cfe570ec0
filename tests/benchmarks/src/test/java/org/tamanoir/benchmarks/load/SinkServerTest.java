package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SinkServerTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static SinkServer sink;
    private static EchoServer echo;

    @BeforeAll
    static void start() throws Exception {
        sink = new SinkServer(HERE);
        echo = EchoServer.ofPackets(HERE);
    }

    @Test
    void whatTheStreamsSendIsWhatTheSinkCounts() throws Exception {
        InetSocketAddress address = new InetSocketAddress(HERE, sink.port());
        sink.begin(StreamPackets.block(8192));
        StreamWriter writer = new StreamWriter();
        writer.start(address, address, StreamKind.MONITORING, 8192, 3);
        Thread.sleep(200);
        long sent = writer.stop(Duration.ofSeconds(10));
        assertThat(sent).isGreaterThan(3 * 8192);
        awaitEnded(3);
        assertThat(sink.total()).isEqualTo(new SinkServer.Total(sent, 3, 0, 0));
    }

    @Test
    void aStreamWithOtherOctetsCountsAsDiffering() throws Exception {
        InetSocketAddress address = new InetSocketAddress(HERE, sink.port());
        sink.begin(StreamPackets.block(256));
        try (SocketChannel stream = SocketChannel.open(address)) {
            stream.write(StreamPackets.first(StreamKind.MONITORING, 256, address, 1));
            stream.write(ByteBuffer.allocate(256));
        }
        awaitEnded(1);
        assertThat(sink.total().differing()).isEqualTo(1);
    }

    @Test
    void aStreamThatIsResetIsNotTakenForOneThatEnded() throws Exception {
        InetSocketAddress address = new InetSocketAddress(HERE, sink.port());
        sink.begin(null);
        try (SocketChannel stream = SocketChannel.open(address)) {
            stream.write(StreamPackets.first(StreamKind.MONITORING, 256, address, 1));
            for (int i = 0; i < 1000 && sink.total().octets() == 0; i++) {
                Thread.sleep(10);
            }
            // A linger time of 0 makes close() send a reset.
            stream.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        awaitEnded(1);
        assertThat(sink.total().reset()).isEqualTo(1);
    }

    @Test
    void roundTripsAreTimedOneByOne() throws Exception {
        InetSocketAddress address = echo.address();
        long start = System.nanoTime();
        Histogram trips = RoundTrip.measure(address, address, Duration.ofMillis(50), Duration.ofMillis(200));
        long took = System.nanoTime() - start;
        // A busy machine makes few of them; an idle one some thousands.
        assertThat(trips.getTotalCount()).isGreaterThan(10);
        assertThat(trips.getValueAtPercentile(50)).isBetween(1_000L, 200_000_000L);
        assertThat(trips.getValueAtPercentile(99)).isGreaterThanOrEqualTo(trips.getValueAtPercentile(50));
        assertThat(trips.getMean() * trips.getTotalCount()).as("one at a time: all together fit the time").isLessThan(took);
    }

    private static void awaitEnded(int streams) throws InterruptedException {
        for (int i = 0; i < 1000 && sink.total().ended() < streams; i++) {
            Thread.sleep(10);
        }
        assertThat(sink.total().ended()).isEqualTo(streams);
    }
}
