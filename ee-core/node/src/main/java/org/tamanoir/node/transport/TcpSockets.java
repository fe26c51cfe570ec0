package org.tamanoir.node.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Listens for TCP connections and makes them. */
public final class TcpSockets {
    private static final Pattern CALL_AND_NUMBER = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    private final EventLoops loops;
    private final Map<EventLoop, KeptLegs> kept = new IdentityHashMap<>();

    public TcpSockets(EventLoops loops) {
        this.loops = loops;
        loops.all().forEach(loop -> kept.put(loop, new KeptLegs(loop)));
    }

    /** A connection to a next hop that was kept and on which a new stream begins; null if there is none. On the loop. */
    public TcpLeg kept(EventLoop loop, InetSocketAddress hop) {
        TcpLeg leg = kept.get(loop).take(hop);
        if (leg != null) {
            leg.offerAgain();
        }
        return leg;
    }

    /** What a new connection brings: it reads nothing before its owner has taken it. */
    public interface Acceptor {
        /** The sink of the first packet; the owner calls {@link TcpLeg#events} and keeps the leg. */
        void accepted(NewLeg connection);
    }

    /** A connection that has no leg yet, because the leg needs a sink and the owner knows it. */
    public static final class NewLeg {
        private final Channel channel;
        private final LoopMemory memory;
        private final KeptLegs kept;

        private NewLeg(Channel channel, LoopMemory memory, KeptLegs kept) {
            this.channel = channel;
            this.memory = memory;
            this.kept = kept;
        }

        public InetSocketAddress peer() {
            return (InetSocketAddress) channel.remoteAddress();
        }

        public EventLoop loop() {
            return channel.eventLoop();
        }

        /** Says one word and closes, without making a leg. */
        public void refuse(ByteBuf lastWord) {
            leg(null).refuse(lastWord);
        }

        /** Makes the leg; see the constructor of {@link TcpLeg}. */
        public TcpLeg leg(Stage sink) {
            TcpLeg leg = new TcpLeg(channel, sink, memory);
            channel.pipeline().addLast(leg);
            return leg;
        }

        /** Makes the leg of a connection that this node has opened and offers for further streams; {@link TcpLeg#flowTo} must follow. */
        public TcpLeg offeredLeg() {
            TcpLeg leg = leg(null);
            leg.offer(kept);
            return leg;
        }
    }

    /**
     * Listens on an address; port 0 takes a free one.
     *
     * @throws AnepException EE-502 if that is not possible
     */
    public Channel listen(InetSocketAddress address, Acceptor acceptor) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops.group(), loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        acceptor.accepted(newLeg(channel));
                    }
                });
        return bound(bootstrap.bind(address), address);
    }

    private NewLeg newLeg(Channel channel) {
        return new NewLeg(channel, loops.memory(channel.eventLoop()), kept.get(channel.eventLoop()));
    }

    /** Waits for a bind and turns its failure into EE-502. */
    static Channel bound(ChannelFuture bind, InetSocketAddress address) {
        bind.awaitUninterruptibly();
        if (!bind.isSuccess()) {
            throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + text(address) + ": "
                    + reason(bind.cause(), address), bind.cause());
        }
        return bind.channel();
    }

    /**
     * Connects on a loop that the caller names, so that both legs of a stream live on one.
     *
     * @param made called on the loop before anything can be read; its future fails with EE-204
     */
    public CompletableFuture<Void> connect(EventLoop loop, InetSocketAddress address, int timeoutMillis, Consumer<NewLeg> made) {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        new Bootstrap()
                .group(loop)
                .channel(loops.socketChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // The leg is added once the connection stands: a failed attempt is the future's to report.
                    }
                })
                .connect(address)
                .addListener((ChannelFuture future) -> {
                    if (future.isSuccess()) {
                        made.accept(newLeg(future.channel()));
                        connected.complete(null);
                    } else {
                        connected.completeExceptionally(new AnepException(ErrorCode.UNREACHABLE, "cannot reach " + text(address) + ": "
                                + reason(future.cause(), address), future.cause()));
                    }
                });
        return connected;
    }

    /** What the kernel said. Netty puts the name of the call and the error's number in front of it, and the address behind. */
    static String reason(Throwable cause, InetSocketAddress address) {
        String text = reason(cause);
        String suffix = ": " + address;
        return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
    }

    /** What the kernel said, without the name of the call and the number. */
    static String reason(Throwable cause) {
        return CALL_AND_NUMBER.matcher(String.valueOf(cause.getMessage())).replaceFirst("");
    }

    /** {@code host:port} as it is written on the command line. */
    public static String text(InetSocketAddress address) {
        return NetUtil.toSocketAddressString(address);
    }
}
