package org.tamanoir.cluster.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.check.Check.State;

/** Checks over loopback. */
class HealthChecksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private final AtomicInteger changes = new AtomicInteger();
    private final HealthChecks checks = new HealthChecks(CheckSettings.DEFAULT, new Random(1), changes::incrementAndGet);

    @AfterEach
    void end() {
        checks.close();
    }

    /** Answers all, or takes connections and says nothing if the answer is null. */
    private static ServerSocket server(String answer, int port, AtomicInteger asked) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    asked.incrementAndGet();
                    if (answer != null) {
                        socket.getInputStream().read(new byte[4096]);
                        socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                        socket.close();
                    }
                } catch (IOException e) {
                    if (server.isClosed()) {
                        return;
                    }
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    private static Target target(ServerSocket server) {
        return new Target(server.getInetAddress(), server.getLocalPort());
    }

    private void awaitState(Target target, State state) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> checks.state(target) == state);
    }

    @Test
    @Tag("long")
    void aBackEndGoesAndComesBackAndAnotherThatHangsHoldsNothingUp() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        ServerSocket good = server(GOOD, 0, asked);
        try (ServerSocket hangs = server(null, 0, new AtomicInteger())) {
            Target target = target(good);
            checks.watch(List.of(target, target(hangs)));
            awaitState(target, State.UP);
            awaitState(target(hangs), State.SILENT);
            good.close();
            awaitState(target, State.REFUSED);
            try (ServerSocket back = server(GOOD, target.port(), asked)) {
                awaitState(target(back), State.UP);
                assertThat(changes.get()).isGreaterThanOrEqualTo(4);
                checks.watch(List.of(target(hangs)));
                awaitState(target, State.UNKNOWN);
                int before = asked.get();
                Thread.sleep(1_200);
                assertThat(asked.get()).as("it is asked no more").isLessThanOrEqualTo(before + 1);
            }
        }
    }

    /** All of them are answers of something that is no node in good health. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 Not Found\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "",
        "HTTP/1.1 200"})
    void whatIsNotTwoHundredIsNotGood(String answer) throws Exception {
        try (ServerSocket server = server(answer, 0, new AtomicInteger())) {
            checks.watch(List.of(target(server)));
            awaitState(target(server), State.SILENT);
        }
    }

    /** A back end that answers one after the other would be stuck with a connection that nobody ends. */
    @Test
    @Tag("long")
    void noConnectionStaysOpenBehindTheEnd() throws Exception {
        AtomicInteger open = new AtomicInteger();
        Random random = new Random(3);
        try (ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> {
                while (!server.isClosed()) {
                    try {
                        Socket socket = server.accept();
                        open.incrementAndGet();
                        Thread reader = new Thread(() -> {
                            try (socket) {
                                while (socket.getInputStream().read(new byte[512]) >= 0) {
                                    socket.getOutputStream().write(GOOD.getBytes(StandardCharsets.ISO_8859_1));
                                }
                            } catch (IOException e) {
                                Thread.currentThread().interrupt();
                            }
                            open.decrementAndGet();
                        });
                        reader.setDaemon(true);
                        reader.start();
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
            for (int i = 0; i < 100; i++) {
                HealthChecks some = new HealthChecks(new CheckSettings(Duration.ofMillis(2), Duration.ofMillis(500), Duration.ofMillis(1), 2, 2), random, () -> { });
                some.watch(List.of(target(server)));
                Thread.sleep(random.nextInt(15));
                some.close();
            }
            await().atMost(PATIENCE).untilAtomic(open, is(0));
        }
    }

    /** A line without an end must not fill the memory, and not hold the check longer than its time. */
    @Test
    void anEndlessAnswerIsCutOff() throws Exception {
        try (ServerSocket server = server("HTTP/1.1 200 " + "x".repeat(1 << 20), 0, new AtomicInteger())) {
            checks.watch(List.of(target(server)));
            awaitState(target(server), State.SILENT);
        }
    }
}
