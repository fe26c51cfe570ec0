package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/**
 * A program's connection by {@code gateway --resume}, the address of a cluster and {@code endpoint} to a server that sends everything back: something is on
 * its way all the time, and every octet that comes back is compared.
 */
final class SessionThroughCluster implements AutoCloseable {
    private static final int PIECE = 4096;
    /** What is on its way passes kernels in user-mode Linux: more of it takes the processor from the directors that are to watch each other. */
    private static final int EVERY_MILLIS = 25;
    private static final long SEED = 23;
    private static final int STATUS = 7001;

    private final Host near;
    private final LabProcess endpoint;
    private final LabProcess gateway;
    private final ServerSocket server;
    private final Socket program;
    private final CompletableFuture<Void> echo;
    private final CompletableFuture<Void> writer;
    private final CompletableFuture<Void> reader;
    private volatile boolean finishing;
    private volatile long written;
    private volatile long back;
    private volatile long longestNanos;

    SessionThroughCluster(ClusterLab lab) throws Exception {
        Host far = lab.receiver().host();
        near = lab.testbed().client().host();
        server = far.inside(() -> new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1")));
        String to = lab.receiver().ipv4().getHostAddress();
        endpoint = far.start("endpoint", command("endpoint", "--listen", to + ":0", "--to", "127.0.0.1:" + server.getLocalPort()));
        String delivered = endpoint.awaitLine("READY endpoint ", ClusterLab.PATIENCE).split(" ")[2];
        gateway = near.start("gateway", command("gateway", "--resume", "--check", "0", "--status", "127.0.0.1:" + STATUS, "--listen", "127.0.0.1:0", "--service", "monitoring", "--to", delivered,
                "--via", lab.virtual().getAddress().getHostAddress() + ":" + lab.virtual().getPort()));
        String at = gateway.awaitLine("READY gateway ", ClusterLab.PATIENCE).split(" ")[2];
        program = near.inside(() -> new Socket("127.0.0.1", Integer.parseInt(at.substring(at.indexOf(':') + 1))));
        Socket accepted = server.accept();
        echo = run(() -> {
            try (accepted) {
                accepted.getInputStream().transferTo(accepted.getOutputStream());
            }
        });
        writer = run(this::write);
        reader = run(this::read);
    }

    private static String[] command(String... arguments) {
        return CommandLineTool.command(arguments).toArray(String[]::new);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> run(Task task) {
        return Grid.async(() -> {
            try {
                task.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void write() throws Exception {
        Random random = new Random(SEED);
        byte[] piece = new byte[PIECE];
        OutputStream out = program.getOutputStream();
        while (!finishing) {
            random.nextBytes(piece);
            out.write(piece);
            written += PIECE;
            Thread.sleep(EVERY_MILLIS);
        }
        program.shutdownOutput();
    }

    private void read() throws IOException {
        Random random = new Random(SEED);
        byte[] expected = new byte[PIECE];
        InputStream in = program.getInputStream();
        long since = System.nanoTime();
        for (byte[] got = in.readNBytes(PIECE); got.length > 0; got = in.readNBytes(PIECE)) {
            random.nextBytes(expected);
            if (!Arrays.equals(got, expected)) {
                throw new IOException("octets after " + back + " are not those that were sent");
            }
            long now = System.nanoTime();
            longestNanos = Math.max(longestNanos, now - since);
            since = now;
            back += PIECE;
        }
    }

    /** Waits until what leaves from now on comes back. */
    void goesOn() {
        long from = written;
        await("the stream goes on").atMost(ClusterLab.PATIENCE).until(() -> reader.isDone() || back > from);
        if (reader.isDone()) {
            reader.join();
        }
        assertThat(back).as("octets that came back before the connection ended, of %d", from).isGreaterThan(from);
    }

    /** The longest time in which nothing came back. */
    Duration longestStall() {
        return Duration.ofNanos(longestNanos);
    }

    /** What the gateway says of it. */
    String report() {
        return near.run("curl", "-sf", "http://127.0.0.1:" + STATUS + "/status").output();
    }

    /** The program ends its side, and everything comes back, and the end. */
    void finish() throws Exception {
        finishing = true;
        writer.get(ClusterLab.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        reader.get(ClusterLab.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        echo.get(ClusterLab.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(back).as("octets that came back").isEqualTo(written);
    }

    @Override
    public void close() throws IOException {
        finishing = true;
        program.close();
        server.close();
        gateway.close();
        endpoint.close();
    }
}
