package org.tamanoir.node.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets.NewLeg;
import org.tamanoir.service.flow.Flows.Connection;
import org.tamanoir.service.flow.Flows.Flow;

/** One connection of a flow: opens a stream, writes one packet again and again while the peer takes it, finishes, and takes the answer. On its loop. */
final class FlowConnection implements TcpEvents {
    private static final int PAYLOAD = 64_000;
    /** Packets between two flushes, and flushes before other connections of the loop have their turn. */
    private static final int PACKETS = 4;
    private static final int FLUSHES = 4;
    /** Beyond the length of the flow: connecting, and the answer. */
    private static final long PATIENCE_SECONDS = 30;

    private final Flow flow;
    private final int typeId;
    private final EventLoop loop;
    private final LoopMemory memory;
    private final Consumer<Connection> over;
    private final Future<?> watchdog;
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private NewLeg connection;
    private TcpLeg leg;
    private ByteBuf packet;
    private boolean writes;
    private boolean isPumping;
    private boolean ended;
    private long began;
    private long nanos;
    private long octets;
    private AnepException refused;

    /** @param over told how it ended, once, on the loop */
    FlowConnection(Flow flow, int typeId, EventLoop loop, LoopMemory memory, Consumer<Connection> over) {
        this.flow = flow;
        this.typeId = typeId;
        this.loop = loop;
        this.memory = memory;
        this.over = over;
        this.watchdog = loop.schedule(() -> fail(new AnepException(ErrorCode.IDLE_TIMEOUT, "a flow of " + flow.length().toSeconds() + " s has not ended " + PATIENCE_SECONDS + " s after its time")),
                flow.length().toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    EventLoop loop() {
        return loop;
    }

    /** Any thread. */
    void cut(AnepException why) {
        loop.execute(() -> fail(why));
    }

    /** It stands. */
    void begin(NewLeg made) {
        connection = made;
        leg = connection.leg(new Back());
        leg.events(this);
        if (ended) {
            leg.abort();
            return;
        }
        leg.flowTo(new Back());
        leg.mark(flow.dscp());
        ByteBuf payload = memory.allocator().directBuffer(PAYLOAD);
        try {
            payload.writeZero(PAYLOAD);
            packet = new PacketBuilder(typeId).payload(payload).build(memory.allocator());
        } finally {
            payload.release();
        }
        began = System.nanoTime();
        leg.write(new PacketBuilder(typeId).options(new PacketOptions().destination(Identifier.of(flow.to().getAddress())).delivery(flow.to().getPort(), Delivery.ANEP))
                .payload(Unpooled.wrappedBuffer(flow.opening())).build(memory.allocator()));
        writes = true;
        leg.pauseReading(false);
        loop.schedule(this::timeIsOver, flow.length().toNanos(), TimeUnit.NANOSECONDS);
        pump();
    }

    private void pump() {
        if (isPumping) {
            return;
        }
        isPumping = true;
        for (int i = 0; i < FLUSHES && writes && !leg.waits(); i++) {
            for (int j = 0; j < PACKETS; j++) {
                leg.write(packet.retainedDuplicate());
            }
            leg.flush();
        }
        isPumping = false;
        if (writes && !leg.waits()) {
            loop.execute(this::pump);
        }
    }

    private void timeIsOver() {
        if (writes && !ended) {
            writes = false;
            nanos = System.nanoTime() - began;
            octets = leg.written();
            leg.finish();
        }
    }

    @Override
    public void room(boolean room) {
        if (room && writes) {
            pump();
        }
    }

    @Override
    public void finished() {
        // The answer comes next.
    }

    @Override
    public void ended(boolean clean) {
        long again = connection.retransmissions();
        if (refused != null || writes || !clean) {
            fail(refused != null ? refused : new AnepException(ErrorCode.CONNECTION_LOST, "the other end has ended the flow before its time"));
            return;
        }
        end(new Connection(octets, nanos, again, answer.toByteArray(), answer.size() == 0 ? new AnepException(ErrorCode.CONNECTION_LOST, "the other end has not answered") : null));
        leg.close();
    }

    @Override
    public void broken(AnepException cause) {
        fail(refused != null ? refused : cause);
    }

    private void fail(AnepException why) {
        if (ended) {
            return;
        }
        if (writes) {
            nanos = System.nanoTime() - began;
            octets = leg.written();
        }
        long again = connection == null ? -1 : connection.retransmissions();
        end(new Connection(octets, nanos, again, answer.toByteArray(), why));
        if (leg != null) {
            leg.abort();
        }
    }

    private void end(Connection how) {
        writes = false;
        ended = true;
        watchdog.cancel(false);
        if (packet != null) {
            packet.release();
            packet = null;
        }
        over.accept(how);
    }

    /** What comes back. */
    private final class Back extends Stage {
        Back() {
            super(null);
        }

        @Override
        public void packet(Packet back) {
            if (back.typeId() == Anep.TYPE_ERROR) {
                refused = ErrorReport.in(back).exception();
            } else if (answer.size() + back.payloadLength() <= Connection.MOST_ANSWER) {
                byte[] octetsBack = new byte[back.payloadLength()];
                back.payload().getBytes(back.payload().readerIndex(), octetsBack);
                answer.write(octetsBack, 0, octetsBack.length);
            }
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }
    }
}
