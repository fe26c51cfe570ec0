package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** A heavy service in one direction, with a receiver that takes what it wants: order, and what may wait. */
class HeavyStageTest {
    private static final int MB = 1 << 20;
    private static final int TYPE = 0x5501;

    /** Event loop, service and direction of one test. */
    private static final class Rig implements Closeable, FlowControl {
        final EventLoops loops = new EventLoops(1, true, () -> 64 * MB);
        final EventLoop loop = loops.all().get(0);
        final ServiceWatch watch = new ServiceWatch(Duration.ofSeconds(5));
        final Receiver receiver = new Receiver();
        final RunningService service;
        final HeavyStage stage;
        volatile boolean drained = true;
        volatile int busy;
        private Runnable onRoom;

        Rig(StreamHandler handler) throws Exception {
            service = new RunningService(TYPE, Level.HEAVY, stream -> handler, new NodeServiceContext("heavy", "1.0.0",
                    new MapConfiguration("heavy", Map.of()), null, Map.of(), null, new NodeMeans(null, null, null, null, null, null, null, null, null, null)), 1, ServicePolicy.preset(FailurePolicy.RESTART, Duration.ofSeconds(5)));
            StreamInfo info = new StreamInfo(1, 0, List.of(TYPE), Transport.TCP, Position.ONLY, null, null, null, List.of(), Delivery.ANEP,
                    new PacketOptions(), true, List.of(TYPE), false, null, true, false, false);
            OpenHandler opened = new OpenHandler(service, handler, new HandlerTasks(service, loop), new SourcePause(loop, true), new SourcePause(loop, true), null);
            stage = loop.submit(() -> new HeavyStage(opened, false, info, loop, new SerialQueue(service.threads()), receiver, null, this,
                    loops.memory(loop), watch)).get();
        }

        void send(byte[] payload) throws Exception {
            ByteBuf buffer = new PacketBuilder(TYPE).payload(Unpooled.wrappedBuffer(payload)).build(loops.memory(loop).allocator());
            loop.submit(() -> {
                stage.packet(new Packet().wrap(buffer, 0, buffer.readableBytes()));
                buffer.release();
                stage.flush();
            }).get();
        }

        void drain() throws Exception {
            drained = true;
            loop.submit(() -> onRoom.run()).get();
        }

        @Override
        public boolean hasRoom() {
            return drained;
        }

        @Override
        public boolean isDrained() {
            return drained;
        }

        @Override
        public void onRoom(Runnable told) {
            onRoom = told;
        }

        @Override
        public void busy(boolean more) {
            busy += more ? 1 : -1;
        }

        @Override
        public void pause(boolean pause, boolean forRate) {
            throw new AssertionError();
        }

        @Override
        public int codePoint() {
            return 0;
        }

        @Override
        public void failed(AnepException why) {
            throw new AssertionError(why);
        }

        @Override
        public void close() {
            loop.submit(() -> stage.abandon()).syncUninterruptibly();
            service.threads().shutdownNow();
            watch.close();
            loops.close();
        }
    }

    /** Counts what comes, and looks at its order: each payload begins with a number. */
    private static final class Receiver extends Stage {
        final AtomicLong octets = new AtomicLong();
        final AtomicInteger last = new AtomicInteger(-1);
        volatile boolean ended;

        Receiver() {
            super(null);
        }

        @Override
        public void packet(Packet packet) {
            octets.addAndGet(packet.length());
            assertThat(packet.payload().getInt(0)).isGreaterThanOrEqualTo(last.get());
            last.set(packet.payload().getInt(0));
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }

        @Override
        public void end() {
            ended = true;
        }
    }

    private static byte[] numbered(int number, int length) {
        return ByteBuffer.allocate(length).putInt(number).array();
    }

    /** Each small packet becomes 900 KB, a thousand times, and the receiver takes nothing: what is made is bounded over all batches. */
    @Test
    void aServiceThatMakesMuchOfLittleWaitsForItsReceiver() throws Exception {
        AtomicLong made = new AtomicLong();
        StreamHandler multiplier = (packet, out) -> {
            for (int i = 0; i < 15; i++) {
                ByteBuf payload = out.allocator().buffer(60_000);
                payload.writeBytes(packet.payload()).writeZero(60_000 - packet.payloadLength());
                out.emitPayload(payload);
                made.addAndGet(60_000);
            }
            return Verdict.TAKEN;
        };
        try (Rig rig = new Rig(multiplier)) {
            rig.drained = false;
            for (int i = 0; i < 1000; i++) {
                rig.send(numbered(i, 100));
            }
            await().during(300, TimeUnit.MILLISECONDS).atMost(10, TimeUnit.SECONDS).until(() -> made.get() > 0 && made.get() < 4 * MB);
            assertThat(rig.loops.retained()).as("octets retained for one direction").isLessThan(8 * MB);
            // The rest comes when the receiver takes it.
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                rig.drain();
                return made.get() == 1000L * 15 * 60_000;
            });
            await().until(() -> rig.receiver.octets.get() == 1000L * 15 * 60_008);
        }
    }

    @Test
    void orderHoldsAndTheEndComesLast() throws Exception {
        try (Rig rig = new Rig((packet, out) -> Verdict.PASS)) {
            for (int i = 0; i < 500; i++) {
                rig.send(numbered(i, 4 + i * 37 % 3000));
            }
            rig.loop.submit(() -> rig.stage.end()).get();
            await().until(() -> rig.receiver.ended);
            assertThat(rig.receiver.last).hasValue(499);
            assertThat(rig.busy).isZero();
            await().untilAsserted(() -> assertThat(rig.loops.retained()).isZero());
        }
    }

    /** A handler that is slow makes the source wait before much is under way. */
    @Test
    void aSlowServiceMakesTheSourceWait() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Rig rig = new Rig((packet, out) -> {
            go.await(10, TimeUnit.SECONDS);
            return Verdict.PASS;
        })) {
            for (int i = 0; i < 100 && rig.busy == 0; i++) {
                rig.send(numbered(i, 60_000));
            }
            assertThat(rig.busy).isEqualTo(1);
            go.countDown();
            await().until(() -> rig.busy == 0);
        }
    }
}
