package org.tamanoir.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Listening;

/**
 * A running HTTP server.
 *
 * <pre>{@code
 * HttpServer server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0))
 *         .route(Route.of("GET", "/health", request -> Response.json(Map.of("status", "up"))))
 *         .start();
 * URI uri = server.uri();
 * server.close();
 * }</pre>
 */
public final class HttpServer implements AutoCloseable {
    /** How long {@link #close} waits for requests that are under way. */
    private static final long GRACE_MILLIS = 5_000;

    private final ServerCore core;
    private final Channel channel;
    private final EventLoopGroup owned;
    private final UnixDomainSocketAddress unix;
    private final boolean isSecure;

    private HttpServer(ServerCore core, Channel channel, EventLoopGroup owned, SocketAddress address, boolean isSecure) {
        this.core = core;
        this.channel = channel;
        this.owned = owned;
        this.unix = address instanceof UnixDomainSocketAddress path ? path : null;
        this.isSecure = isSecure;
    }

    /** @param address port 0 takes any that is free */
    public static Builder at(InetSocketAddress address) {
        return new Builder(address);
    }

    /**
     * A server for processes of this machine, of the same user or of root: the kernel tells whose they are.
     *
     * @param socket made when the server starts, in the place of one that another process has left, and taken away at the end
     */
    public static Builder at(Path socket) {
        return new Builder(UnixDomainSocketAddress.of(socket));
    }

    /** Whether it listens on TCP; otherwise on a Unix socket. */
    public boolean isTcp() {
        return unix == null;
    }

    /** The TCP address it listens on, with its real port. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** {@code http://127.0.0.1:3325} or {@code https://…}, without a slash at the end; {@code unix:/PATH} of a Unix socket. */
    public String url() {
        return unix != null ? "unix:" + unix.getPath() : (isSecure ? "https://" : "http://") + NetUtil.toSocketAddressString(address());
    }

    /** How many connections are open. */
    public int connections() {
        return core.connections().size();
    }

    /**
     * Takes no more connections, lets requests under way finish for up to 5 s, ends streams of events, then closes everything. Blocks; not
     * to be called on one of the server's own threads.
     */
    @Override
    public void close() {
        try {
            channel.close().await();
            if (unix != null) {
                HttpSocket.remove(unix);
            }
            core.connections().forEach(Connection::stop);
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
            while (!core.connections().isEmpty() && System.nanoTime() < deadline) {
                Thread.sleep(5);
                // Again each time: one may have been accepted while the first round ran.
                core.connections().forEach(Connection::stop);
            }
            core.connections().forEach(Connection::abort);
            core.stopWorkers(1_000);
            if (owned != null) {
                owned.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Collects what a server needs. */
    public static final class Builder {
        private final SocketAddress address;
        private final List<Route> routes = new ArrayList<>();
        private String name = "http";
        private HttpLimits limits = HttpLimits.DEFAULTS;
        private int threads = 4;
        private EventLoopGroup loops;
        private Class<? extends ServerChannel> transport;
        private AuditHook journal = AuditHook.NONE;
        private JdkSslContext tls;
        private Predicate<InetAddress> plain = peer -> false;
        private Function<SSLSession, List<String>> names = session -> List.of();

        private Builder(SocketAddress address) {
            this.address = address;
        }

        /** The first part of its threads' names; {@code http} unless set. */
        public Builder name(String newName) {
            name = newName;
            return this;
        }

        public Builder limits(HttpLimits newLimits) {
            limits = newLimits;
            return this;
        }

        /** How many handlers run at once; 4 unless set. */
        public Builder workers(int newThreads) {
            threads = newThreads;
            return this;
        }

        /** Uses event loops of somebody else, who closes them after the server; otherwise it has one of its own, on NIO. */
        public Builder eventLoops(EventLoopGroup group, Class<? extends ServerChannel> channelType) {
            loops = group;
            transport = channelType;
            return this;
        }

        public Builder journal(AuditHook newJournal) {
            journal = newJournal;
            return this;
        }

        /**
         * Speaks TLS 1.3 and nothing else, but with those whom {@link #plain} names.
         *
         * @param context asked at every handshake, so that its keys may change
         * @param needed  whether a peer without a certificate is refused in the handshake; otherwise it may show one
         * @param peer    the names that a peer's certificate gives it: {@link Caller#names}
         */
        public Builder tls(SSLContext context, boolean needed, Function<SSLSession, List<String>> peer) {
            tls = new JdkSslContext(context, false, null, IdentityCipherSuiteFilter.INSTANCE, ApplicationProtocolConfig.DISABLED,
                    needed ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL, new String[] {"TLSv1.3"}, false);
            names = peer;
            return this;
        }

        /** Who may speak HTTP on the port of TLS: nobody unless set. */
        public Builder plain(Predicate<InetAddress> allowed) {
            plain = allowed;
            return this;
        }

        public Builder route(Route... more) {
            routes.addAll(Arrays.asList(more));
            return this;
        }

        public Builder route(String method, String path, Handler handler) {
            return route(Route.of(method, path, handler));
        }

        /** @throws AnepException EE-502 if the address cannot be listened on */
        public HttpServer start() {
            ServerCore core = new ServerCore(name, new Routes(routes), limits, threads, journal, names);
            boolean isTcp = address instanceof InetSocketAddress;
            HttpSocket.prepare(address);
            EventLoopGroup own = loops != null ? null
                    : new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name + "-loop", true), NioIoHandler.newFactory());
            ServerBootstrap bootstrap = new ServerBootstrap().group(loops != null ? loops : own)
                    .channel(loops != null ? transport : isTcp ? NioServerSocketChannel.class : NioServerDomainSocketChannel.class)
                    .option(ChannelOption.SO_BACKLOG, 256)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, Listening.all())
                    .childOption(ChannelOption.AUTO_READ, false)
                    .childHandler(new Initializer(core, tls, plain));
            if (isTcp) {
                bootstrap.option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true);
            }
            try {
                Channel channel = bootstrap.bind(address).syncUninterruptibly().channel();
                HttpSocket.protect(address);
                return new HttpServer(core, channel, own, address, tls != null);
            } catch (Exception e) {
                // Netty rethrows a checked BindException from here.
                if (own != null) {
                    own.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
                }
                throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot listen on " + (address instanceof InetSocketAddress tcp ? NetUtil.toSocketAddressString(tcp) : address) + ": "
                        + e.getMessage(), e);
            }
        }
    }

    /** The pipeline: octets to messages, requests to responses. */
    private static final class Initializer extends ChannelInitializer<Channel> {
        /** Pieces of a body: large enough that a hand-over to a worker costs little. */
        private static final int PIECE = 64 << 10;

        private final ServerCore core;
        private final SslContext tls;
        private final Predicate<InetAddress> plain;

        /** @param tls null for none */
        Initializer(ServerCore core, SslContext tls, Predicate<InetAddress> plain) {
            this.core = core;
            this.tls = tls;
            this.plain = plain;
        }

        @Override
        protected void initChannel(Channel child) {
            HttpDecoderConfig config = new HttpDecoderConfig().setMaxInitialLineLength(core.limits().lineOctets())
                    .setMaxHeaderSize(core.limits().headerOctets()).setMaxChunkSize(PIECE);
            if (tls != null) {
                boolean optional = child.remoteAddress() instanceof InetSocketAddress peer && plain.test(peer.getAddress());
                child.pipeline().addLast(optional ? new OptionalSslHandler(tls) : tls.newHandler(child.alloc()));
            }
            child.pipeline().addLast(new HttpServerCodec(config));
            if (tls != null) {
                child.pipeline().addLast(new ChunkedWriteHandler());
            }
            child.pipeline().addLast(new Connection(core));
        }
    }
}
