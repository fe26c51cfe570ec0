package org.tamanoir.client.multicast;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PlainText;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.dyram.wire.BadMessageException;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Core;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Announce;

/**
 * Brings datagrams and time to a core, on the one thread that its sockets live on. What is no message is counted and changes nothing; an
 * error with a code, which only files and disk of this side can cause, ends it.
 */
@ChannelHandler.Sharable
final class CoreDriver extends ChannelInboundHandlerAdapter {
    private static final long MILLI = 1_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(CoreDriver.class);

    private final Sockets sockets;
    private final LongPredicate sessions;
    private final Consumer<AnepException> failed;
    private final LongAdder malformed = new LongAdder();
    private final InetSocketAddress node;
    private volatile AnepException refusal;
    private Core core;
    private ScheduledFuture<?> timer;
    private long timerAt = Long.MAX_VALUE;
    private boolean ended;
    private boolean warned;

    /**
     * A driver without a core.
     *
     * @param node     whose errors are remembered; null if there is none
     * @param sessions which the core is told of when they are announced
     * @param failed   is told, on the thread of the sockets, of an error that ends the core
     */
    CoreDriver(Sockets sockets, InetSocketAddress node, LongPredicate sessions, Consumer<AnepException> failed) {
        this.sockets = sockets;
        this.node = node;
        this.sessions = sessions;
        this.failed = failed;
    }

    /** Starts a core; what comes before is lost. */
    void start(Core newCore) {
        run(() -> core = newCore);
        call(newCore::start);
    }

    /** Has the core do something soon, with the time. From any thread. */
    void call(LongConsumer what) {
        run(() -> guarded(what));
    }

    /** Runs something on the thread of the sockets, soon. */
    void run(Runnable what) {
        try {
            sockets.loop().execute(what);
        } catch (RejectedExecutionException e) {
            LOG.debug("the sockets are closed");
        }
    }

    /** The core is not called any more. On the thread of the sockets. */
    void end() {
        ended = true;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Datagrams that were no message. */
    long malformed() {
        return malformed.sum();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket datagram = (DatagramPacket) message;
        try {
            onDatagram(datagram.sender(), datagram.content());
        } finally {
            datagram.release();
        }
    }

    private void onDatagram(InetSocketAddress from, ByteBuf content) {
        if (core == null || ended) {
            return;
        }
        try {
            Packet packet = Packet.of(content);
            packet.checkOptions();
            if (packet.typeId() == Anep.TYPE_ERROR && from.equals(node)) {
                refused(packet);
                return;
            }
            Message message = Codec.decode(packet);
            if (message instanceof Announce announce) {
                if (!sessions.test(announce.session())) {
                    return;
                }
                sockets.expect(announce.terms().packetSize());
            }
            core.onMessage(System.nanoTime(), message, from);
        } catch (MalformedPacketException | BadMessageException e) {
            malformed.increment();
        } catch (AnepException e) {
            fail(e);
        } catch (RuntimeException e) {
            // A defect; but whoever can send such a message must not be able to end a session with it.
            malformed.increment();
            LOG.warn("a message from {} could not be handled", from, e);
        }
    }

    /** The node cannot do what it was asked for: it has not got the service. It is asked again, and may have it then. */
    private void refused(Packet packet) {
        if (packet.has(OptionType.ERROR)) {
            PacketOptions.ErrorReport report = packet.options().error();
            refusal = new AnepException(report.code(), "node " + EventLoops.text(node) + " cannot serve multicast: " + PlainText.of(report.text()));
        }
    }

    /** What the node has answered last that was an error; null if nothing. */
    AnepException refusal() {
        return refusal;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        guarded(now -> core.flush(now));
    }

    private void guarded(LongConsumer what) {
        if (core == null || ended) {
            return;
        }
        try {
            what.accept(System.nanoTime());
            sockets.flush();
            arm();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void fail(RuntimeException error) {
        failed.accept(error instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, error.toString(), error));
    }

    /** Java's selector waits whole milliseconds; for less than half of one Netty asks it again and again and keeps a processor busy. */
    private static long wholeMillis(long nanos) {
        return nanos <= 0 ? 0 : (nanos + MILLI - 1) / MILLI;
    }

    /** One timer at most: an earlier deadline replaces it, a later one is found when it goes off. */
    private void arm() {
        long deadline = ended ? Long.MAX_VALUE : core.deadline();
        if (deadline >= timerAt) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerAt = deadline;
        timer = sockets.loop().schedule(this::onTimer, wholeMillis(deadline - System.nanoTime()), TimeUnit.MILLISECONDS);
    }

    private void onTimer() {
        timerAt = Long.MAX_VALUE;
        guarded(now -> {
            if (core.deadline() <= now) {
                core.onTimer(now);
            }
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!warned) {
            warned = true;
            LOG.warn("a datagram could not be sent or read, and further ones will not be mentioned: {}", cause.toString());
        }
    }
}
