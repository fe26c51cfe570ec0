package org.tamanoir.http;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What the two kinds of sockets differ in: TCP, and Unix sockets, whose peers the kernel knows (SO_PEERCRED). */
final class HttpSocket {
    /** {@code sun_path} of unix(7), without the zero at the end. */
    private static final int LONGEST_PATH = 107;
    private static final String ROOT = "root";
    private static final String OWNER = owner();

    private HttpSocket() {
    }

    /** Whom the kernel names at the other end. */
    static Caller caller(Channel channel) {
        if (channel.remoteAddress() instanceof InetSocketAddress address) {
            return new Caller(address, null, List.of());
        }
        UnixDomainPrincipal peer = channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        return new Caller(null, peer == null ? "unknown" : peer.user().getName(), List.of());
    }

    /** Whether a user may use this process's Unix sockets: its own, and root. */
    static boolean isOurs(String user) {
        return ROOT.equals(user) || OWNER != null && OWNER.equals(user);
    }

    /** Null where the system does not say. */
    private static String owner() {
        try {
            return Files.getOwner(Path.of("/proc/self")).getName();
        } catch (IOException e) {
            return null;
        }
    }

    /** Takes away what an earlier process has left in a socket's place. */
    static void prepare(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress unix) {
            if (unix.getPath().toString().getBytes().length > LONGEST_PATH) {
                throw new AnepException(ErrorCode.CANNOT_LISTEN, "the path of the socket " + unix + " is longer than the " + LONGEST_PATH
                        + " octets that a Unix socket can have; take a directory with a shorter name");
            }
            remove(address);
        }
    }

    /** Nobody but the owner connects. */
    static void protect(SocketAddress address) throws IOException {
        if (address instanceof UnixDomainSocketAddress unix) {
            Files.setPosixFilePermissions(unix.getPath(), PosixFilePermissions.fromString("rw-------"));
        }
    }

    static void remove(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress unix) {
            try {
                Files.deleteIfExists(unix.getPath());
            } catch (IOException e) {
                throw new AnepException(ErrorCode.CANNOT_LISTEN, "cannot take away " + unix + ": " + AnepException.reason(e), e);
            }
        }
    }
}
