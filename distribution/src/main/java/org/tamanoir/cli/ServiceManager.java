package org.tamanoir.cli;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells systemd how a server is (sd_notify(3)): a datagram to the Unix socket that NOTIFY_SOCKET names, which the JDK cannot send. Without it nothing is told. */
final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final short AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int LONGEST_PATH = 108;

    private ServiceManager() {
    }

    static void ready() {
        tell("READY=1");
    }

    static void stopping() {
        tell("STOPPING=1");
    }

    private static void tell(String state) {
        String socket = System.getenv("NOTIFY_SOCKET");
        if (socket == null || socket.isEmpty()) {
            return;
        }
        try {
            send(socket, state);
        } catch (LastErrorException | UnsatisfiedLinkError e) {
            LOG.warn("systemd is not told {}: {}", state, e.getMessage());
        }
    }

    /** @param socket a path; one that begins with @ is a name of the abstract namespace */
    static void send(String socket, String state) {
        byte[] path = socket.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') {
            path[0] = 0;
        }
        ByteBuffer address = ByteBuffer.allocate(Short.BYTES + Math.min(LONGEST_PATH, path.length)).order(ByteOrder.nativeOrder());
        address.putShort(AF_UNIX).put(path, 0, Math.min(LONGEST_PATH, path.length));
        byte[] message = state.getBytes(StandardCharsets.UTF_8);
        int descriptor = LibC.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        try {
            LibC.sendto(descriptor, message, message.length, MSG_NOSIGNAL, address.array(), address.capacity());
        } finally {
            LibC.close(descriptor);
        }
    }

    private static final class LibC {
        static {
            Native.register("c");
        }

        static native int socket(int domain, int type, int protocol) throws LastErrorException;

        static native long sendto(int descriptor, byte[] octets, long length, int flags, byte[] address, int addressLength) throws LastErrorException;

        static native int close(int descriptor) throws LastErrorException;
    }
}
