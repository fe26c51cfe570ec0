package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Greedy;

/** A service that fills the heap of a node, or starts threads without end, is stopped and named before the node is short; a stream beside it notices nothing. */
class AServiceThatTakesTooMuchTest {
    private static final int TYPE = 0x5500;
    private static final long PAUSE_NANOS = 300_000;
    private static final int MOST_PACKETS = 20_000;

    @TempDir
    private Path directory;
    private Grid grid;
    private TcpServer server;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        grid.push(new ServiceBundle("greedy", TYPE, "middle", Greedy.class).in(directory));
        server = new TcpServer(socket -> socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream()));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        grid.close();
    }

    private NodeProgram node(String keeps) throws IOException {
        Path file = Files.writeString(directory.resolve("node.yaml"), "services: {greedy: {keeps: " + keeps + "}}\npolicies: {greedy: {back-off: 1h, most-back-off: 1h, threads: 4}}\n");
        return new NodeProgram(directory.resolve("data"), "--config", file.toString(), "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
    }

    /** Sends packets until the node ends the stream. @return the code that it says */
    private static ErrorCode takes(NodeProgram node, int port) throws Exception {
        try (AnepPeer peer = new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(port, Delivery.RAW)))) {
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < MOST_PACKETS; i++) {
                        peer.send(AnepPeer.data(TYPE, new byte[] {1}));
                        long due = System.nanoTime() + PAUSE_NANOS;
                        while (System.nanoTime() - due < 0) {
                            Thread.onSpinWait();
                        }
                    }
                    peer.finish();
                } catch (IOException e) {
                    // The node has ended the stream.
                }
            });
            sender.start();
            try {
                return peer.refusalAfterData();
            } catch (SocketException e) {
                throw new AssertionError("the stream was cut without a word", e);
            } finally {
                sender.join();
            }
        }
    }

    private static JsonNode greedy(NodeProgram node) throws IOException {
        for (JsonNode service : node.admin().json("/services").path("services")) {
            if (service.path("name").asText().equals("greedy")) {
                return service;
            }
        }
        throw new AssertionError("greedy is not there");
    }

    private void isStopped(String keeps, String why) throws Exception {
        try (NodeProgram node = node(keeps); SteadyStream steady = new SteadyStream(node.address())) {
            try {
                assertThat(takes(node, server.port())).as(keeps).isEqualTo(ErrorCode.SERVICE_SUSPENDED);
            } catch (AssertionError e) {
                throw new AssertionError(node.errors(), e);
            }
            JsonNode stopped = greedy(node);
            assertThat(stopped.path("state").asText()).as("%s", stopped).isEqualTo("failed");
            assertThat(stopped.path("reason").asText()).contains("greedy 1.0.0").contains(why);
            assertThat(node.errors()).contains("greedy 1.0.0").contains(why);
            steady.undisturbed();
            assertThat(node.isAlive()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"arrays", "objects", "handler"})
    @Tag("long")
    void theOneThatFillsTheHeapIsStopped(String keeps) throws Exception {
        isStopped(keeps, "of the heap");
    }

    @Test
    void theOneThatStartsThreadsGetsNoMoreAndThoseEndWithIt() throws Exception {
        try (NodeProgram node = node("threads")) {
            assertThat(takes(node, server.port())).isEqualTo(ErrorCode.SERVICE_LIMIT);
            assertThat(threads(node.pid())).isEqualTo(4);
            CommandLineTool.run("service", "undeploy", "--node", node.adminUrl(), "greedy");
            await("its threads have ended").until(() -> threads(node.pid()) == 0);
        }
    }

    private static long threads(long pid) throws IOException {
        try (var tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return tasks.filter(task -> {
                try {
                    return Files.readString(task.resolve("comm")).startsWith("greedy");
                } catch (IOException e) {
                    return false;
                }
            }).count();
        }
    }

    /** Which of them it is makes no difference. */
    @Test
    @Tag("sweep")
    void twentyTimesOfTwenty() throws Exception {
        for (int i = 0; i < 20; i++) {
            isStopped(new String[] {"arrays", "objects", "handler"}[i % 3], "of the heap");
        }
    }
}
