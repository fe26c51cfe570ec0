package org.tamanoir.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A TCP port where nobody listens: for a server that is started next, or one that is not there. Nothing keeps others from it meanwhile, but it
 * is none of those that the kernel gives to whoever asks for any, as every connection of a test beside this one does.
 */
public final class FreePort {
    private static final Path GIVEN_BY_THE_KERNEL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int FIRST = 10_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {
    }

    /** One of 127.0.0.1. */
    public static int onLoopback() {
        return on("127.0.0.1").getPort();
    }

    /** @param host an address of this machine */
    public static InetSocketAddress on(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            int end = Integer.parseInt(Files.readString(GIVEN_BY_THE_KERNEL).strip().split("\\s+")[0]);
            for (int attempt = 0; attempt < ATTEMPTS && end > FIRST; attempt++) {
                InetSocketAddress chosen = new InetSocketAddress(address, ThreadLocalRandom.current().nextInt(FIRST, end));
                if (isFree(chosen)) {
                    return chosen;
                }
            }
            try (ServerSocket socket = new ServerSocket(0, 1, address)) {
                return (InetSocketAddress) socket.getLocalSocketAddress();
            }
        } catch (IOException e) {
            throw new LabException("no free port at " + host, e);
        }
    }

    private static boolean isFree(InetSocketAddress at) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(at, 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
