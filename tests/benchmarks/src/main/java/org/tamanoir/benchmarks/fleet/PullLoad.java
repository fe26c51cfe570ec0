package org.tamanoir.benchmarks.fleet;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Clients that pull one file again and again, each over a connection of its own, and count what came whole. */
final class PullLoad {
    private static final int BUFFER = 64 << 10;
    private static final int TIMEOUT_MILLIS = 20_000;

    private PullLoad() {
    }

    /**
     * Pulls for a time.
     *
     * @param urls    of the file, in turn one for each client
     * @param size    of the file
     * @return pulls a second
     * @throws IOException if an answer is anything but the file
     */
    static double run(List<URI> urls, int clients, int size, Duration time) throws IOException, InterruptedException {
        LongAdder pulls = new LongAdder();
        long start = System.nanoTime();
        long end = start + time.toNanos();
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                URI url = urls.get(i % urls.size());
                all.add(pool.submit(() -> {
                    pull(url, size, end, pulls);
                    return null;
                }));
            }
            for (Future<Void> each : all) {
                each.get(time.toMillis() + 2L * TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw new IOException("a client of " + urls + ": " + e, e);
        } finally {
            pool.shutdownNow();
        }
        return pulls.sum() * 1e9 / time.toNanos();
    }

    private static void pull(URI url, int size, long end, LongAdder pulls) throws IOException {
        byte[] request = ("GET " + url.getPath() + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] buffer = new byte[BUFFER];
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER);
            while (System.nanoTime() < end) {
                socket.getOutputStream().write(request);
                String status = line(in);
                if (!status.startsWith("HTTP/1.1 200")) {
                    throw new IOException(url + " answers " + status);
                }
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    if (header.regionMatches(true, 0, "content-length:", 0, 15) && Integer.parseInt(header.substring(15).strip()) != size) {
                        throw new IOException(url + " has " + header + " instead of " + size);
                    }
                }
                for (int left = size; left > 0;) {
                    int read = in.read(buffer, 0, Math.min(left, buffer.length));
                    if (read < 0) {
                        throw new EOFException(url + " ended early");
                    }
                    left -= read;
                }
                // One that ends late was not served in the time.
                if (System.nanoTime() < end) {
                    pulls.increment();
                }
            }
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("ended in a header");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
