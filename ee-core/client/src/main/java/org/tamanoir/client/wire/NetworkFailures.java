package org.tamanoir.client.wire;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.tls.NettyTls;

/** What a failure of the network is in codes: EE-204 if the peer cannot be reached, EE-211 if the connection was lost, EE-215 for TLS. */
public final class NetworkFailures {
    private NetworkFailures() {
    }

    /** A failure on the way to or from a peer. An {@link AnepException} stays what it is. */
    public static AnepException of(Throwable cause, InetSocketAddress peer) {
        if (cause instanceof AnepException known) {
            return known;
        }
        String name = EventLoops.text(peer);
        if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
            return NettyTls.reason(cause, peer);
        }
        if (cause instanceof ConnectTimeoutException) {
            return new AnepException(ErrorCode.UNREACHABLE, name + " did not answer in time", cause);
        }
        if (cause instanceof PortUnreachableException) {
            return new AnepException(ErrorCode.UNREACHABLE, name + " cannot be reached: nothing listens there", cause);
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException || cause instanceof UnknownHostException) {
            return new AnepException(ErrorCode.UNREACHABLE, name + " cannot be reached: " + cause.getMessage(), cause);
        }
        if (cause instanceof ClosedChannelException) {
            return new AnepException(ErrorCode.CONNECTION_LOST, "the connection to " + name + " is closed", cause);
        }
        if (cause instanceof IOException io) {
            return new AnepException(ErrorCode.CONNECTION_LOST, "the connection to " + name + " was " + lost(io), cause);
        }
        return new AnepException(ErrorCode.INTERNAL, "on the connection to " + name + ": " + cause, cause);
    }

    /** In words. The native transport says {@code writevAddresses(..) failed with error(-104)}; its numbers are those of Linux. */
    private static String lost(IOException cause) {
        String message = String.valueOf(cause.getMessage());
        if (message.contains("Connection reset") || message.endsWith("error(-104)")) {
            return "reset by the other side";
        } else if (message.contains("Broken pipe") || message.endsWith("error(-32)")) {
            return "closed by the other side";
        }
        return "lost: " + message;
    }

    /** The address with its host resolved; EE-204 if the host has no address. Asks the machine's resolver, which may take a while. */
    public static InetSocketAddress resolved(InetSocketAddress address) {
        if (!address.isUnresolved()) {
            return address;
        }
        InetSocketAddress again = new InetSocketAddress(address.getHostString(), address.getPort());
        if (again.isUnresolved()) {
            throw new AnepException(ErrorCode.UNREACHABLE, "host '" + address.getHostString() + "' has no address");
        }
        return again;
    }
}
