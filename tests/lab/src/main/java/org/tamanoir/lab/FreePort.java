package org.tamanoir.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A TCP port where nobody listens: for a server that is started next, or one that is not there. Nothing keeps others from it meanwhile. */
public final class FreePort {
    private FreePort() {
    }

    /** One of 127.0.0.1. */
    public static int onLoopback() {
        return on("127.0.0.1").getPort();
    }

    /** @param host an address of this machine */
    public static InetSocketAddress on(String host) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        } catch (IOException e) {
            throw new LabException("no free port at " + host, e);
        }
    }
}
