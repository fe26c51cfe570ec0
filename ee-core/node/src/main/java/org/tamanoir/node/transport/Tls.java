package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.tls.NettyTls;
import org.tamanoir.service.rule.Prefix;

/**
 * TLS 1.3 (RFC 8446) on the connections of a node: on the port of streams, where the first octet tells it from ANEP, and to next hops. BoringSSL does it
 * where its library loads, the JDK elsewhere. What signs and checks certificates runs on a thread of its own, so that handshakes keep no stream waiting.
 */
public final class Tls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    /** The first octet of a TLS record that begins a handshake (section 5.1). */
    static final int HANDSHAKE = 0x16;
    private static final int MOST_WAITING = 4096;

    private final Settings settings;
    private final SslContext server;
    private final SslContext client;
    private final ExecutorService handshakes = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(MOST_WAITING), task -> {
        Thread made = new Thread(task, "tamanoir-handshake");
        made.setDaemon(true);
        return made;
    });

    /**
     * Who may come in how.
     *
     * @param identity  of the node
     * @param required  whether whoever comes in must show a certificate
     * @param plain     who may come in without TLS
     * @param expected  names that a next hop may have, where it is not known by its host
     * @param handshake how long one may take, the wait for its first octet included
     */
    public record Settings(Identity identity, boolean required, List<Prefix> plain, Predicate<String> expected, Duration handshake) {
    }

    public Tls(Settings settings) {
        this.settings = settings;
        LOG.info("TLS is {}'s", NettyTls.provider() == SslProvider.JDK ? "the JDK" : OpenSsl.versionString());
        client = NettyTls.toNodes(settings.identity(), settings.expected());
        try {
            server = SslContextBuilder.forServer(settings.identity().keyManager()).trustManager(settings.identity().trustManager(any -> false))
                    .sslProvider(NettyTls.provider()).protocols("TLSv1.3").ciphers(NettyTls.CIPHERS).clientAuth(settings.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL)
                    .sessionTimeout(NettyTls.SESSION_SECONDS).build();
        } catch (SSLException e) {
            throw new AnepException(ErrorCode.INTERNAL, "TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** Whether somebody may come in without TLS. */
    public boolean allowsPlain(InetAddress peer) {
        return settings.plain().stream().anyMatch(prefix -> prefix.contains(peer));
    }

    /** Who this node is. */
    public Identity identity() {
        return settings.identity();
    }

    /** Whether whoever comes in must show a certificate. */
    public boolean isRequired() {
        return settings.required();
    }

    /** For https to other nodes, which have the names or the addresses that next hops have. */
    public SSLContext toNodes() {
        return settings.identity().sslContext(settings.expected());
    }

    /** For https to repositories and front-ends, which are known by the host of their URL. */
    public SSLContext toServers() {
        return settings.identity().sslContext(any -> false);
    }

    long handshakeMillis() {
        return settings.handshake().toMillis();
    }

    SslHandler accepting(Channel channel) {
        return ready(server.newHandler(channel.alloc(), handshakes));
    }

    SslHandler connecting(Channel channel, InetSocketAddress to) {
        return ready(client.newHandler(channel.alloc(), to.getAddress().getHostAddress(), to.getPort(), handshakes));
    }

    private SslHandler ready(SslHandler handler) {
        handler.setHandshakeTimeoutMillis(handshakeMillis());
        return handler;
    }

    /**
     * Keeps the end of a connection back until the handshake is over. Netty's decoder throws away what it has not decoded when it hears of the end, and it
     * decodes nothing while another thread checks a certificate.
     */
    static final class EndHeld extends ChannelInboundHandlerAdapter {
        private final SslHandler handler;
        private boolean held;

        EndHeld(SslHandler handler) {
            this.handler = handler;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            // In a task of its own: what came with the end of the handshake is decoded first.
            handler.handshakeFuture().addListener(done -> context.executor().execute(() -> {
                if (held && !context.isRemoved()) {
                    context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
                }
            }));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE && !handler.handshakeFuture().isDone()) {
                held = true;
            } else {
                context.fireUserEventTriggered(event);
            }
        }
    }

    @Override
    public void close() {
        handshakes.shutdownNow();
    }
}
