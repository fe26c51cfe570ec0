package org.tamanoir.identity.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Identity;

/** TLS 1.3 (RFC 8446) on a Netty connection to a node. BoringSSL does it where its library loads, the JDK elsewhere. */
public final class NettyTls {
    /** How long what a peer has proven once counts for another connection. */
    public static final long SESSION_SECONDS = 60;

    /** What is spoken, best first: the same order in every library. */
    public static final List<String> CIPHERS = List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");
    private static final Pattern ALERT = Pattern.compile("error:[0-9a-f]+:SSL routines:[^:]*:(?:SSLV3|TLSV1)_ALERT_(\\w+)");

    private NettyTls() {
    }

    /** Which library does it. */
    public static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    }

    /**
     * For connecting to nodes. A node is known by the host or the address that it is connected to by.
     *
     * @param expected SPIFFE IDs that a node may have instead
     */
    public static SslContext toNodes(Identity identity, Predicate<String> expected) {
        try {
            return SslContextBuilder.forClient().keyManager(identity.keyManager()).trustManager(identity.trustManager(expected)).sslProvider(provider())
                    .protocols("TLSv1.3").ciphers(CIPHERS).sessionTimeout(SESSION_SECONDS).endpointIdentificationAlgorithm("HTTPS").build();
        } catch (SSLException e) {
            throw new AnepException(ErrorCode.INTERNAL, "TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** EE-215 with what went wrong, in a handshake or by what the peer says of it later. */
    public static AnepException reason(Throwable cause, InetSocketAddress peer) {
        Throwable deepest = cause;
        while (deepest.getCause() != null && deepest.getCause() != deepest) {
            deepest = deepest.getCause();
        }
        // The library's own words repeat what came, and in hexadecimal.
        String why = deepest instanceof NotSslRecordException ? "it answers without TLS" : inWords(deepest.getMessage());
        return new AnepException(ErrorCode.NOT_IDENTIFIED, "no TLS with " + NetUtil.toSocketAddressString(peer) + ": " + why, cause);
    }

    /** An alert in the words of the JDK. */
    private static String inWords(String message) {
        Matcher alert = message == null ? null : ALERT.matcher(message);
        return alert == null || !alert.find() ? message : "Received fatal alert: " + alert.group(1).toLowerCase(Locale.ROOT);
    }

    /** Half-close: the peer hears by TLS, and then by TCP, that nothing more comes. Everything that was written must have left. On the loop. */
    public static ChannelFuture finish(Channel channel, SslHandler handler) {
        ChannelHandlerContext below = channel.pipeline().context(handler);
        if (below == null) {
            return channel.newFailedFuture(new ClosedChannelException());
        }
        ChannelPromise finished = channel.newPromise();
        handler.closeOutbound();
        // Netty drops what is still queued when the output is shut down: the last record goes ahead.
        below.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(said -> ((DuplexChannel) channel).shutdownOutput(finished));
        return finished;
    }

    /** Closes a connection without a last word of TLS: it would make what is cut look like a good end. */
    public static void cut(Channel channel, SslHandler handler) {
        ChannelHandlerContext below = channel.pipeline().context(handler);
        if (below == null) {
            channel.close();
        } else {
            below.close();
        }
    }

    /** Behind the handler of TLS: what goes wrong in a handshake is said by its future alone. */
    public static final class Shaking extends ChannelInboundHandlerAdapter {
        private final SslHandler handler;

        public Shaking(SslHandler handler) {
            this.handler = handler;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (handler.handshakeFuture().isSuccess()) {
                context.fireExceptionCaught(cause);
            }
        }
    }
}
