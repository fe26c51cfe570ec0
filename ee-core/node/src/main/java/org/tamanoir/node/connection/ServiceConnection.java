package org.tamanoir.node.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.service.HandlerNews;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpEvents;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets.NewLeg;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;

/**
 * One connection that a service has opened: its octets and packets on its loop, its handler among the tasks of the service. What comes waits for the
 * handler up to {@link HandlerNews#HIGH}, then the other side waits; what is written waits up to {@link Connection#MOST_WAITING}.
 */
final class ServiceConnection implements Connection, TcpEvents {
    /** Octets that wait for the other side from which there is no room, and at which there is again. */
    private static final int HIGH = HandlerNews.HIGH;
    private static final int LOW = HandlerNews.LOW;
    /** Payload of one packet where the next hop is a node. */
    private static final int PAYLOAD = 64_000;

    private final int typeId;
    private final PreviousNode self;
    private final Remote remote;
    private final EventLoop loop;
    private final LoopMemory memory;
    private final ConnectionHandler handler;
    private final Consumer<ServiceConnection> over;

    // On the loop.
    private final Deque<ByteBuf> early = new ArrayDeque<>();
    private TcpLeg leg;
    private boolean raw;
    private boolean finishes;
    private boolean finishing;
    private boolean finished;
    private boolean theyEnded;
    private boolean paused;
    private boolean ended;
    private AnepException refused;

    // Any thread.
    /** Octets that were written and that the system has not taken; of them, those that the loop has. */
    private final AtomicLong waiting = new AtomicLong();
    private long handed;
    private volatile boolean toldFull;
    private final HandlerNews news;

    ServiceConnection(int typeId, PreviousNode self, Remote remote, EventLoop loop, LoopMemory memory, ConnectionHandler handler, Executor tasks, Consumer<ServiceConnection> over) {
        this.typeId = typeId;
        this.self = self;
        this.remote = remote;
        this.loop = loop;
        this.memory = memory;
        this.handler = handler;
        this.over = over;
        this.news = new HandlerNews(tasks, this::call, () -> loop.execute(this::read), this::abort);
    }

    EventLoop loop() {
        return loop;
    }

    // What the service does.

    @Override
    public boolean write(ByteBuf octets) {
        waiting.addAndGet(octets.readableBytes());
        loop.execute(() -> send(octets));
        return isWritable();
    }

    @Override
    public boolean isWritable() {
        if (waiting.get() < HIGH) {
            return true;
        }
        toldFull = true;
        // The last of it may have left in this moment.
        return waiting.get() < LOW;
    }

    @Override
    public void finish() {
        loop.execute(() -> {
            finishes = true;
            if (leg != null && !ended && !finishing) {
                finishing = true;
                leg.finish();
            }
        });
    }

    @Override
    public void pause(boolean pauses) {
        loop.execute(() -> {
            paused = pauses;
            read();
        });
    }

    @Override
    public void abort() {
        loop.execute(() -> fail(new AnepException(ErrorCode.CONNECTION_LOST, "the service has cut its connection to " + remote)));
    }

    /** The service stops: it is told nothing more. */
    void forget() {
        news.forget();
        abort();
    }

    // On the loop.

    /** It stands. @param direct whether the other end takes octets and no packets */
    void begin(NewLeg made, InetSocketAddress to, boolean direct) {
        raw = direct;
        TcpLeg connected = made.leg(new Back());
        connected.events(this);
        if (ended) {
            connected.abort();
            return;
        }
        leg = connected;
        leg.flowTo(new Back());
        if (raw) {
            leg.wrapRaw(typeId);
        } else {
            leg.write(new PacketBuilder(typeId).options(new PacketOptions().destination(Identifier.of(to.getAddress())).delivery(to.getPort(), remote.delivery())
                    .previousNode(self).hops(Anep.DEFAULT_HOPS)).build(memory.allocator()));
        }
        tell(Event.CONNECTED);
        while (!early.isEmpty()) {
            put(early.poll());
        }
        leg.flush();
        read();
        settle();
        if (finishes) {
            finish();
        }
    }

    private void send(ByteBuf octets) {
        if (ended || finishes) {
            waiting.addAndGet(-octets.readableBytes());
            octets.release();
            return;
        }
        if (leg == null) {
            early.add(octets);
        } else {
            put(octets);
            leg.flush();
            settle();
        }
        if (waiting.get() > MOST_WAITING) {
            fail(new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "the service has written " + waiting.get() + " octets to " + remote + ", which takes none"));
        }
    }

    private void put(ByteBuf octets) {
        handed += octets.readableBytes();
        if (raw) {
            leg.write(octets);
            return;
        }
        while (octets.isReadable()) {
            int length = Math.min(PAYLOAD, octets.readableBytes());
            ByteBuf header = memory.allocator().directBuffer(Anep.HEADER_SIZE).writerIndex(Anep.HEADER_SIZE);
            PacketBuilder.setBareHeader(header, 0, 0, typeId, length);
            leg.write(header);
            leg.write(octets.readRetainedSlice(length));
        }
        octets.release();
    }

    /** Counts what the system has taken, and says that there is room again. */
    private void settle() {
        if (handed > 0 && leg.pending() < handed) {
            waiting.addAndGet(leg.pending() - handed);
            handed = leg.pending();
        }
        if (toldFull && waiting.get() < LOW) {
            toldFull = false;
            tell(Event.WRITABLE);
        }
    }

    private void read() {
        if (leg != null && !ended) {
            leg.pauseReading(paused || news.isFull());
        }
    }

    @Override
    public void room(boolean room) {
        settle();
    }

    @Override
    public void finished() {
        finished = true;
        endIfDone();
    }

    /** The leg closes itself when both directions have ended. */
    private void endIfDone() {
        if (finished && theyEnded && !ended) {
            end(null);
        }
    }

    @Override
    public void ended(boolean clean) {
        if (refused != null || !clean) {
            fail(refused != null ? refused : new AnepException(ErrorCode.CONNECTION_LOST, remote + " has ended inside a packet"));
            return;
        }
        theyEnded = true;
        tell(Event.END);
        endIfDone();
    }

    @Override
    public void broken(AnepException cause) {
        fail(refused != null ? refused : cause);
    }

    /** For the stages of a future. */
    Void failed(Throwable failure) {
        Throwable why = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        loop.execute(() -> fail(why instanceof AnepException known ? known : new AnepException(ErrorCode.UNREACHABLE, why.toString(), why)));
        return null;
    }

    private void fail(AnepException why) {
        if (!ended) {
            end(why);
            if (leg != null) {
                leg.abort();
            }
        }
    }

    private void end(AnepException why) {
        ended = true;
        early.forEach(ByteBuf::release);
        early.clear();
        over.accept(this);
        tell(new Closed(why));
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
            } else if (back.payloadLength() > 0) {
                ByteBuf payload = back.payload();
                tell(memory.copy(payload, payload.readerIndex(), payload.readableBytes()));
            }
        }

        @Override
        public void flush() {
            read();
        }
    }

    // To the handler.

    private enum Event { CONNECTED, WRITABLE, END }

    private record Closed(AnepException why) {
    }

    private void tell(Object what) {
        news.tell(what);
    }

    private void call(Object what) {
        if (what instanceof ByteBuf octets) {
            handler.onOctets(this, octets);
        } else if (what instanceof Closed closed) {
            handler.onClosed(this, closed.why());
        } else if (what == Event.CONNECTED) {
            handler.onConnected(this);
        } else if (what == Event.WRITABLE) {
            handler.onWritable(this);
        } else {
            handler.onEnd(this);
        }
    }
}
