package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/** A rule that makes a path of 100 Mbit/s and 10 ms slow is taken back on real transfers, of which nothing is lost. */
@Tag("lab")
class AHarmfulRuleIsTakenBackTest {
    private static final int PORT = 7000;
    private static final int OCTETS = 300_000;
    private static final int PIECE = 16_000;
    private static final int AT_ONCE = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void pacingFarBelowThePathIsTakenBackAndNothingIsLost(@TempDir Path folder) throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        try (Lab lab = Lab.open()) {
            Host source = lab.host("source");
            Host middle = lab.host("node");
            Host destination = lab.host("destination");
            Link first = lab.link(source, middle);
            DelayBox box = new DelayBox(lab.host("box"), Duration.ofMillis(5));
            Link second = lab.link(middle, box, destination, LinkOptions.DEFAULT.rate("100mbit").offloads(false));
            box.start();
            InetAddress server = second.second().ipv4();
            LabNode node = LabNode.start(middle, folder.resolve("node"), """
                    listen: '0.0.0.0:3322'
                    code: none
                    routes: {'%1$s/32': direct}
                    tune:
                      - {name: slow, to: %1$s, pacing: 2M}
                    """.formatted(server.getHostAddress()));
            assertThat(CommandLineTool.here("service", "deploy", Grid.bundle("forward").toString(), "--node", "unix:" + folder.resolve("node/data/admin.sock")).exit()).isZero();
            InetSocketAddress entry = new InetSocketAddress(first.second().ipv4(), 3322);
            ServerSocket listener = destination.inside(() -> new ServerSocket(PORT, 200, server));
            AtomicInteger number = new AtomicInteger();
            AtomicInteger whole = new AtomicInteger();
            CompletableFuture<Void> serving = Grid.async(() -> serve(listener, whole));
            try {
                long end = System.nanoTime() + PATIENCE.toNanos();
                List<CompletableFuture<Void>> programs = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    programs.add(Grid.async(() -> {
                        while (System.nanoTime() < end && state(node).equals("probation")) {
                            transfer(source, entry, server, number.incrementAndGet());
                        }
                    }));
                }
                programs.forEach(CompletableFuture::join);
            } finally {
                listener.close();
            }
            serving.join();
            JsonNode rule = node.get("/tuning").path("rules").get(0);
            assertThat(rule.path("state").asText()).as("%s", rule).isEqualTo("taken-back");
            assertThat(rule.path("reason").asText()).contains("legs with the rule carry");
            assertThat(rule.path("with").path("bitsPerSecond").asDouble()).as("%s", rule).isBetween(1e6, 3e6);
            assertThat(whole.get()).as("transfers that came whole").isEqualTo(number.get());
            assertThat(node.metric("tamanoir_tuning_taken_back_total")).isOne();
            assertThat(node.get("/events/since/0").path("events").findValuesAsText("text")).anySatisfy(text -> assertThat(text).startsWith("rule slow is taken-back: "));
        }
    }

    private static String state(LabNode node) {
        return node.get("/tuning").path("rules").get(0).path("state").asText();
    }

    private static byte[] content(int number) {
        byte[] content = new byte[OCTETS];
        new Random(number).nextBytes(content);
        content[0] = (byte) number;
        content[1] = (byte) (number >> 8);
        return content;
    }

    private static void transfer(Host source, InetSocketAddress entry, InetAddress server, int number) {
        byte[] content = content(number);
        try (AnepPeer peer = source.inside(() -> new AnepPeer(entry))) {
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.getHostAddress(), PORT, Delivery.RAW)));
            for (int at = 0; at < content.length; at += PIECE) {
                peer.send(AnepPeer.data(Grid.FORWARD, Arrays.copyOfRange(content, at, Math.min(content.length, at + PIECE))));
            }
            peer.finish();
            assertThat(peer.receive()).as("the server ends when it has everything").isNull();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void serve(ServerSocket listener, AtomicInteger whole) {
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        while (true) {
            try {
                Socket socket = listener.accept();
                readers.add(Grid.async(() -> read(socket, whole)));
            } catch (IOException e) {
                readers.forEach(CompletableFuture::join);
                return;
            }
        }
    }

    private static void read(Socket socket, AtomicInteger whole) {
        try (socket) {
            byte[] all = socket.getInputStream().readAllBytes();
            if (Arrays.equals(all, content(all[0] & 0xFF | (all[1] & 0xFF) << 8))) {
                whole.incrementAndGet();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
