package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.transport.DatagramChannelStub;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.node.waits.WaitTimes;

/** What a stream observes of its waiting: each thing once, and the right one. */
class StreamWaitsTest {
    private final StreamRig rig = new StreamRig();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot of(WaitTimes times) {
        return ((HistogramSnapshot) times.collector().collect()).getDataPoints().get(0);
    }

    private HistogramSnapshot.HistogramDataPointSnapshot of(String name) {
        return rig.counters.waits().all().stream().filter(times -> ((HistogramSnapshot) times.collector().collect()).getMetadata().getPrometheusName().equals(name))
                .map(StreamWaitsTest::of).findFirst().orElseThrow();
    }

    private long opened() {
        return of("tamanoir_stream_open_seconds").getCount();
    }

    private long waited() {
        return of("tamanoir_service_wait_seconds").getCount();
    }

    private long first() {
        return of("tamanoir_stream_first_octet_seconds").getCount();
    }

    @Test
    void theFirstAnswerOfTheFarEndCountsAndNeitherWhatNodesSayNorAnyOtherAnswer() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).connected(true), "first"));
        assertThat(opened()).isEqualTo(1);
        rig.send(rig.far(), PacketBuilder.connected(UnpooledByteBufAllocator.DEFAULT, StreamRig.TYPE, 0));
        rig.send(rig.far(), PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.SERVICE_LIMIT, "test", 42));
        assertThat(first()).isZero();
        rig.send(rig.far(), "answer", "more");
        assertThat(first()).isEqualTo(1);
        rig.send(rig.far(), "and more");
        assertThat(first()).isEqualTo(1);
        assertThat(rig.handler.told).containsExactly("first", "<answer", "<more", "<and more");
        assertThat(waited()).as("its service was there").isZero();
    }

    @Test
    void aStreamWaitsForAServiceThatIsNotThereAndAlsoForOneThatDoesNotCome() throws Exception {
        rig.answer = new CompletableFuture<>();
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
        Thread.sleep(20);
        assertThat(opened()).isZero();
        rig.answer.complete(rig.service);
        rig.settle();
        assertThat(opened()).isEqualTo(1);
        assertThat(of("tamanoir_stream_open_seconds").getSum()).isGreaterThan(0.02);
        assertThat(of("tamanoir_service_wait_seconds").getSum()).isGreaterThan(0.02);
        rig.answer = new CompletableFuture<>();
        rig.send(rig.accept(), StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "second"));
        rig.answer.completeExceptionally(new AnepException(ErrorCode.UNKNOWN_SERVICE, "test"));
        rig.settle();
        assertThat(waited()).isEqualTo(2);
        assertThat(opened()).isEqualTo(1);
    }

    /** The next hop gives up the connection that it kept, so the stream gets to it twice. */
    @Test
    void aStreamThatIsSentAgainIsOpenedOnceAndItsAnswerCounts() {
        LegChannel near = rig.accept();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).connection(ConnectionUse.OFFER, 0), "before"));
        rig.send(rig.far(), StreamRig.control(ConnectionUse.ACCEPT));
        rig.send(near, StreamRig.control(ConnectionUse.END));
        rig.send(rig.far(), StreamRig.control(ConnectionUse.END), StreamRig.control(ConnectionUse.READY));
        assertThat(first()).as("nothing has come back").isZero();
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).connection(ConnectionUse.OFFER, 0), "again"));
        rig.ends(rig.far());
        assertThat(rig.connects).isEqualTo(2);
        assertThat(opened()).isEqualTo(2);
        rig.send(rig.far(), "answer");
        assertThat(first()).isEqualTo(1);
    }

    @Test
    void aStreamOfDatagramsObservesTheSame() {
        DatagramChannelStub socket = new DatagramChannelStub(rig.memory);
        UdpPort port = new UdpPort(rig.environment, socket.leg());
        socket.arrive(StageRig.address("192.0.2.50", 5000), StreamRig.packet(StreamRig.to(StreamRig.BEHIND).stream(7, 0).hops(9), "question"));
        for (int i = 0; i < 4; i++) {
            socket.runPendingTasks();
            rig.sockets.forEach(each -> each.runPendingTasks());
        }
        assertThat(opened()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            rig.sockets.getLast().arrive(StreamRig.USED, StreamRig.packet(StreamRig.to(StreamRig.BEHIND).stream(7, i), "answer"));
        }
        assertThat(first()).isEqualTo(1);
        rig.tick(Duration.ofMillis(1));
        rig.table.all().forEach(Stream::finishUp);
        port.close();
        socket.runPendingTasks();
    }
}
