package org.tamanoir.client.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.tls.NettyTls;

/**
 * TLS 1.3 to nodes: who this program is, and which nodes it believes. Whoever made the identity closes it. Files that change count for connections that are
 * made later.
 *
 * <pre>{@code
 * Identity identity = new Identity(new Identity.Files(certificate, key, authorities, null));
 * new TamanoirClient().tls(new NodeTls(identity, "spiffe://example.org/node/a"::equals))
 * }</pre>
 */
public final class NodeTls {
    /** How long one of several nodes may take to accept a connection. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final SslContext context;

    /**
     * For a program with an identity, which may be without a certificate.
     *
     * @param expected SPIFFE IDs that a node may have; any other node must prove the host or the address by which it is named
     */
    public NodeTls(Identity identity, Predicate<String> expected) {
        context = NettyTls.toNodes(identity, expected);
    }

    /** The same. @throws AnepException EE-408 if it is null: a node was named by tls:// and nobody said whom to believe */
    public static NodeTls needed(NodeTls tls) {
        if (tls == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a node named tls://HOST:PORT needs to know whom to believe: set tls");
        }
        return tls;
    }

    /**
     * Connects to a node. One of the two is called on the channel's loop, later.
     *
     * @param tls     null for a connection in the clear
     * @param timeout for the handshake of TLS
     * @param failed  told EE-204 for a node that cannot be reached, EE-215 for one that is not who it should be or has no TLS
     */
    public static void connect(Bootstrap bootstrap, InetSocketAddress node, NodeTls tls, Duration timeout, Consumer<SocketChannel> connected,
                               Consumer<AnepException> failed) {
        bootstrap.connect(node).addListener((ChannelFuture done) -> {
            SocketChannel channel = (SocketChannel) done.channel();
            if (!done.isSuccess()) {
                failed.accept(NetworkFailures.of(done.cause(), node));
            } else if (tls == null) {
                connected.accept(channel);
            } else {
                tls.shakeHands(channel, node, timeout, connected, failed);
            }
        });
    }

    /** The same with the first of several nodes that can be reached, in their order; each but the last may take a second at most. */
    public static void connect(Bootstrap bootstrap, List<InetSocketAddress> nodes, NodeTls tls, Duration timeout, Consumer<SocketChannel> connected,
                               Consumer<AnepException> failed) {
        boolean last = nodes.size() == 1;
        Duration patience = patience(timeout, !last);
        connect(bootstrap.clone().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience.toMillis()), nodes.get(0), tls, patience, connected,
                last ? failed : why -> connect(bootstrap, nodes.subList(1, nodes.size()), tls, timeout, connected, failed));
    }

    /** How long a node may take where there are others, or not: a second at most, or the time-out. */
    public static Duration patience(Duration timeout, boolean others) {
        return others && timeout.compareTo(PATIENCE) > 0 ? PATIENCE : timeout;
    }

    private void shakeHands(SocketChannel channel, InetSocketAddress node, Duration timeout, Consumer<SocketChannel> connected, Consumer<AnepException> failed) {
        SslHandler handler = context.newHandler(channel.alloc(), node.getHostString(), node.getPort());
        handler.setHandshakeTimeoutMillis(timeout.toMillis());
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                connected.accept(channel);
            } else {
                Closing.reset(channel);
                failed.accept(NettyTls.reason(done.cause(), node));
            }
        });
        channel.pipeline().addLast(handler, new NettyTls.Shaking(handler));
    }
}
