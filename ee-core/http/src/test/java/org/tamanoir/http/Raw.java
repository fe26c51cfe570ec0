package org.tamanoir.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A peer that writes whatever it likes. */
final class Raw implements Closeable {
    private final Socket socket;

    Raw(HttpServer server) throws IOException {
        socket = new Socket(server.address().getAddress(), server.address().getPort());
        socket.setSoTimeout(30_000);
    }

    static String ask(HttpServer server, String request) throws IOException {
        try (Raw raw = new Raw(server)) {
            return raw.send(request).readAll();
        }
    }

    static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    }

    Raw send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Raw send(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
        return this;
    }

    /** Everything up to the end of the connection; a reset ends it too. */
    String readAll() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        try {
            InputStream in = socket.getInputStream();
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                all.write(piece, 0, n);
            }
        } catch (SocketException e) {
            all.write("(reset)".getBytes(StandardCharsets.US_ASCII));
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads until {@code text} has come. */
    String readUntil(String text) throws IOException {
        StringBuilder all = new StringBuilder();
        while (all.indexOf(text) < 0) {
            int octet = socket.getInputStream().read();
            if (octet < 0) {
                throw new IOException("ended before '" + text + "': " + all);
            }
            all.append((char) octet);
        }
        return all.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
