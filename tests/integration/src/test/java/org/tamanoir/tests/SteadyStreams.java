package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens a stream through a cluster all the time, has some octets there and back, and closes it. */
final class SteadyStreams implements AutoCloseable {
    private static final long PAUSE_MILLIS = 30;

    /** One that was not served. @param at when it began; nanoseconds */
    record Failure(long at, String what) {
    }

    private final ClusterLab lab;
    private final ServerSocket server;
    private final List<Failure> failures = new CopyOnWriteArrayList<>();
    private final AtomicInteger served = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "steady streams");
    private volatile boolean ends;

    SteadyStreams(ClusterLab lab) throws Exception {
        this.lab = lab;
        server = ClusterStream.server(lab);
        server.setSoTimeout(2_000);
        thread.start();
    }

    private void run() {
        while (!ends) {
            long begun = System.nanoTime();
            try (ClusterStream stream = new ClusterStream(lab, server)) {
                stream.carries(10);
                served.incrementAndGet();
            } catch (Exception | AssertionError e) {
                failures.add(new Failure(begun, e.toString()));
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** How many were served until now. */
    int served() {
        return served.get();
    }

    List<Failure> failures() {
        return failures;
    }

    /** Ends, and fails if one was not served. */
    void allServed(String meanwhile) throws Exception {
        close();
        assertThat(failures).as("new streams that were not served while %s; %d were", meanwhile, served()).isEmpty();
        assertThat(served.get()).isPositive();
    }

    @Override
    public void close() throws IOException {
        ends = true;
        try {
            thread.join(30_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.close();
    }
}
