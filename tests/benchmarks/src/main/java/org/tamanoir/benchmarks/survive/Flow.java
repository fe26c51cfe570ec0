package org.tamanoir.benchmarks.survive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.net.URI;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** Looks every few milliseconds at how many octets a gateway has given its programs, and keeps the longest time in which there were no more. */
final class Flow implements AutoCloseable {
    private static final int EVERY_MILLIS = 10;
    /** What comes before it is greetings, and programs think then. */
    private static final long BEGUN = 1_000_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Thread thread;
    private final long before;
    private volatile JsonNode last;
    private volatile long longest;
    private volatile long moved;
    private volatile boolean stopped;

    /** @param status URL of the gateway's status, on the host */
    Flow(Host host, String status) {
        last = read(host, status);
        before = octets();
        thread = new Thread(() -> watch(host, status), "flow");
        thread.setDaemon(true);
        thread.start();
    }

    private long octets() {
        return last.path("octetsToProgram").asLong();
    }

    private static JsonNode read(Host host, String status) {
        try {
            return host.inside(() -> read(status));
        } catch (Exception e) {
            throw new LabException("the gateway's status cannot be read", e);
        }
    }

    private static JsonNode read(String status) throws Exception {
        try (InputStream in = URI.create(status).toURL().openStream()) {
            return MAPPER.readTree(in);
        }
    }

    private void watch(Host host, String status) {
        try {
            host.inside(() -> {
                long since = System.nanoTime();
                while (!stopped) {
                    long had = octets();
                    last = read(status);
                    long now = System.nanoTime();
                    if (octets() > had) {
                        if (had - before >= BEGUN) {
                            longest = Math.max(longest, now - since);
                        }
                        since = now;
                    }
                    moved = octets() - before;
                    Pause.millis(EVERY_MILLIS);
                }
                return null;
            });
        } catch (Exception e) {
            // The gateway has gone; whoever asks for a figure gets the last one.
            stopped = true;
        }
    }

    /** Octets that programs have got since this was made. */
    long moved() {
        return moved;
    }

    /** Seconds. */
    double longestStall() {
        return longest / 1e9;
    }

    /** The last that the gateway has said of itself. */
    JsonNode status() {
        return last;
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
