package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.node.service.Marks;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.service.Output;
import org.tamanoir.service.Position;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;

/**
 * What the steps of a stream stand on in a test: an event loop that runs when the test says so, memory, and back-pressure that the test
 * sets. Closing it looks for what was not given back.
 */
final class StageRig implements AutoCloseable {
    static final int TYPE = TestService.TYPE;
    static final PreviousNode SELF = new PreviousNode(77, 3324);
    static final InetSocketAddress DESTINATION = address("192.0.2.9", 7000);
    static final InetSocketAddress NEXT = address("192.0.2.2", 3322);
    static final InetSocketAddress SOURCE = address("198.51.100.1", 40000);

    private final EmbeddedChannel clock = new EmbeddedChannel();
    private final EventLoops accounts;
    private final List<ByteBuf> sent = new ArrayList<>();
    final EventLoop loop = clock.eventLoop();
    final LoopMemory memory;
    final ServiceWatch watch = new ServiceWatch(TestService.TIMEOUT);
    final Flow flow = new Flow();
    final Flow flowBack = new Flow();
    final Recorder taken = new Recorder();
    final Recorder returned = new Recorder();

    StageRig() {
        this(64 << 20);
    }

    StageRig(long memoryOctets) {
        accounts = new EventLoops(1, true, () -> memoryOctets);
        memory = accounts.memory(accounts.all().get(0));
        clock.freezeTime();
    }

    static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(ip(host), port);
    }

    static InetAddress ip(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Back-pressure as the test sets it. */
    static class Flow implements FlowControl {
        boolean room = true;
        boolean drained = true;
        int busy;
        int paused;
        int codePoint;
        boolean endsByService;
        final List<AnepException> failures = new ArrayList<>();
        private final List<Runnable> listeners = new ArrayList<>();

        /** The receiver has taken everything. */
        void drain() {
            drained = true;
            List.copyOf(listeners).forEach(Runnable::run);
        }

        /** The code with which the stream has failed, once. */
        ErrorCode failure() {
            assertThat(failures).as("failures").hasSize(1);
            return failures.remove(0).code();
        }

        @Override
        public boolean hasRoom() {
            return room;
        }

        @Override
        public boolean isDrained() {
            return drained;
        }

        @Override
        public void onRoom(Runnable told) {
            listeners.add(told);
        }

        @Override
        public void busy(boolean more) {
            busy += more ? 1 : -1;
        }

        @Override
        public void pause(boolean pause, boolean forRate) {
            paused += pause ? 1 : -1;
        }

        @Override
        public void finishes() {
            endsByService = true;
        }

        @Override
        public int codePoint() {
            return codePoint;
        }

        @Override
        public void failed(AnepException why) {
            failures.add(why);
        }
    }

    /** A TCP stream of services, from here on with the last Type ID's. */
    static StreamInfo info(Transport transport, int... typeIds) {
        List<Integer> chain = Arrays.stream(typeIds).boxed().toList();
        PacketOptions options = new PacketOptions().destination(Identifier.of(DESTINATION.getAddress())).delivery(DESTINATION.getPort(), Delivery.ANEP)
                .chain(chain.stream().skip(1).mapToInt(each -> each).toArray()).stream(42, 0).hops(9).previousNode(SELF);
        return new StreamInfo(42, 0, chain, transport, Position.INGRESS, SOURCE, DESTINATION, NEXT, List.of(), Delivery.ANEP, options, true, chain, false, null, true, false, false);
    }

    OpenHandler open(RunningService service, StreamHandler handler) {
        return new OpenHandler(service, handler, new HandlerTasks(service, loop), new SourcePause(loop, true), new SourcePause(loop, true), null);
    }

    /** A handler with its stages, and a way to run its tasks. */
    record Handling(RunningService service, OpenHandler opened, HandlerStage forward, HandlerStage back) {
    }

    /** A handler that is called on the loop, in both directions. */
    Handling handle(RunningService service, StreamHandler handler) {
        OpenHandler opened = open(service, handler);
        Handling handling = new Handling(service, opened, forward(opened), back(opened));
        opened.tasks().runOn(task -> loop.execute(() -> handling.forward.task(task, handling.back)));
        return handling;
    }

    /** A payload in a buffer of an output, to be emitted there. */
    static ByteBuf payload(Output out, String text) {
        ByteBuf payload = out.allocator().buffer();
        payload.writeCharSequence(text, StandardCharsets.UTF_8);
        return payload;
    }

    /** The stage of a handler toward the destination. */
    HandlerStage forward(OpenHandler opened) {
        return new HandlerStage(opened, false, info(Transport.TCP, TYPE), taken, flow, memory, watch.ofThisThread());
    }

    HandlerStage back(OpenHandler opened) {
        return new HandlerStage(opened, true, info(Transport.TCP, TYPE), returned, flowBack, memory, watch.ofThisThread());
    }

    /** A packet in a buffer that has to be released in the end by whoever keeps it. */
    ByteBuf buffer(int typeId, PacketOptions options, String payload) {
        ByteBuf buffer = new PacketBuilder(typeId).options(options).payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8))
                .build(memory.allocator());
        sent.add(buffer);
        return buffer;
    }

    /** Sends a buffer as one packet, as a reader lends it. */
    void lend(Stage to, ByteBuf buffer, int codePoint) {
        to.packet(new Packet().wrap(buffer, buffer.readerIndex(), buffer.readableBytes()).receivedNanos(1).codePoint(codePoint));
        buffer.release();
    }

    void send(Stage to, String... payloads) {
        for (String payload : payloads) {
            lend(to, buffer(TYPE, null, payload), 0);
        }
    }

    /** Sends plain packets as a reader finds them together. */
    void sendTogether(Stage to, String... payloads) {
        ByteBuf all = given(memory.allocator().directBuffer());
        for (String payload : payloads) {
            new PacketBuilder(TYPE).payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8)).writeTo(all);
        }
        PacketRun run = new PacketRun();
        assertThat(run.find(all, 0, all.writerIndex(), PacketRun.MOST_PACKETS)).isEqualTo(all.writerIndex());
        to.packets(run.of(1, 0));
        all.release();
    }

    void sendError(Stage to) {
        ByteBuf error = PacketBuilder.error(memory.allocator(), ErrorCode.UNREACHABLE, "test", 0);
        sent.add(error);
        lend(to, error, 0);
    }

    /** A buffer that the test gives away. */
    ByteBuf given(ByteBuf buffer) {
        sent.add(buffer);
        return buffer;
    }

    /** Runs what waits on the loop, and what that puts behind it. */
    void run() {
        clock.runPendingTasks();
        clock.runPendingTasks();
    }

    /** Time passes on the loop. */
    void pass(long millis) {
        clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        run();
    }

    @Override
    public void close() {
        run();
        try {
            Marks.assertBalanced(watch);
            assertThat(flow.failures).as("failures that nobody expected").isEmpty();
            assertThat(flowBack.failures).as("failures that nobody expected, on the way back").isEmpty();
            assertThat(sent.stream().filter(Objects::nonNull)).allSatisfy(buffer -> assertThat(buffer.refCnt()).as("references of %s", buffer).isZero());
            taken.assertReleased();
            returned.assertReleased();
            assertThat(memory.retained()).as("octets retained").isZero();
        } finally {
            watch.close();
            accounts.close();
        }
    }
}
