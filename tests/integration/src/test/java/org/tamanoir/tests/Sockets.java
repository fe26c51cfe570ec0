package org.tamanoir.tests;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;

/** What a test reads from, and does to, a plain socket. */
final class Sockets {
    private Sockets() {
    }

    /** Reads to the end; whether that was a reset, which nobody can take for an orderly end. */
    static boolean isCut(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] octets = new byte[64 * 1024];
        try {
            while (in.read(octets) >= 0) {
                continue;
            }
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Ends a connection with a reset. */
    static void cut(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
