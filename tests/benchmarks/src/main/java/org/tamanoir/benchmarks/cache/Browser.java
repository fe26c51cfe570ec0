package org.tamanoir.benchmarks.cache;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;
import org.tamanoir.lab.LabException;

/** A program that asks for one path after the other on one connection. */
final class Browser implements AutoCloseable {
    private static final int BUFFER = 256 * 1024;
    private static final int PATIENCE_MILLIS = 120_000;
    private static final int MOST_LINE = 16_384;

    private final Socket socket;
    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];

    Browser(InetSocketAddress server) throws IOException {
        socket = new Socket();
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(server);
        in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    }

    /**
     * Asks for a path and reads the answer.
     *
     * @param counter counts octets of content as they come
     * @return the CRC-32C of the content
     */
    long get(String path, LongAdder counter) throws IOException {
        socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: bench\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        String status = line();
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new LabException("the answer to " + path + " is " + status);
        }
        long left = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                left = Long.parseLong(line.substring(15).strip());
            }
        }
        if (left < 0) {
            throw new LabException("an answer without a length");
        }
        CRC32C sum = new CRC32C();
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(left, BUFFER));
            if (read < 0) {
                throw new EOFException(left + " octets are missing of " + path);
            }
            sum.update(buffer, 0, read);
            counter.add(read);
            left -= read;
        }
        return sum.getValue();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0 || line.length() > MOST_LINE) {
                throw new EOFException("no answer");
            }
            if (octet != '\r') {
                line.append((char) octet);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
