package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Working;

/** Programs that a service runs beside its node: octets there and back, one that fails beside one that does not, and nothing that stays behind a node that is killed. */
class AWorkerEndsWithItsNodeTest {
    private static final int TYPE = 0x5500;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path directory;
    private Grid grid;
    private NodeProgram node;

    @BeforeEach
    void start() throws Exception {
        if (!LabRequirements.has("bwrap")) {
            Assumptions.assumeTrue(LabRequirements.check().root(), "bwrap is missing: apt-get install bubblewrap");
            DebianPackages.require("bwrap", "bubblewrap");
        }
        grid = Grid.withRepository();
        grid.push(new ServiceBundle("working", TYPE, "middle", Working.class)
                .header("Import-Package", "org.tamanoir.service,org.tamanoir.service.worker,org.tamanoir.anep,io.netty.buffer").in(directory));
        Path file = Files.writeString(directory.resolve("node.yaml"), "policies: {working: {workers: {programs: [sh], count: 2}}}\n");
        node = new NodeProgram(directory.resolve("data"), "--config", file.toString(), "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
    }

    @AfterEach
    void stop() throws Exception {
        if (node != null) {
            node.close();
        }
        if (grid != null) {
            grid.close();
        }
    }

    private AnepPeer runs(String script) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(9, Delivery.RAW))).send(AnepPeer.data(TYPE, script.getBytes(UTF_8)));
    }

    private static String rest(AnepPeer peer) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            assertThat(packet.typeId()).as("%s", packet.options().error() == null ? "" : packet.options().error().text()).isEqualTo(TYPE);
            all.writeBytes(packet.payload().toString(UTF_8).getBytes(UTF_8));
        }
        return all.toString(UTF_8);
    }

    private JsonNode shown() {
        return node.admin().json("/services").path("services").path(0);
    }

    @Test
    void programsServeStreamsFailAloneAndAreGoneWithTheirNode() throws Exception {
        try (AnepPeer peer = runs("tr a-z A-Z")) {
            assertThat(rest(peer.send(AnepPeer.data(TYPE, "there and back".getBytes(UTF_8))).finish())).isEqualTo("THERE AND BACK");
        }
        try (AnepPeer stays = runs("exec cat"); AnepPeer fails = runs("echo it was me >&2; exit 3")) {
            assertThat(fails.refusal()).isEqualTo(ErrorCode.WORKER_FAILED);
            assertThat(rest(stays.send(AnepPeer.data(TYPE, "untouched".getBytes(UTF_8))).finish())).isEqualTo("untouched");
        }
        await().atMost(PATIENCE).until(() -> shown().path("workers").asInt(-1) == 0);
        assertThat(new String(node.admin().bytes("/metrics", 1 << 20), UTF_8)).contains("tamanoir_service_workers_ended_total{reason=\"failed\",service=\"working\",version=\"1.0.0\"} 1");
        try (AnepPeer one = runs("sleep 67 & setsid sleep 67 & exec sleep 67"); AnepPeer two = runs("exec sleep 67")) {
            await().atMost(PATIENCE).until(() -> sleepers() == 4);
            assertThat(shown().path("workers").asInt()).isEqualTo(2);
            try (AnepPeer third = runs("exec cat")) {
                assertThat(third.refusal()).isEqualTo(ErrorCode.SERVICE_LIMIT);
            }
            two.socket().setSoLinger(true, 0);
            two.socket().close();
            await("a source that is gone takes its program with it").atMost(PATIENCE).until(() -> sleepers() == 3);
            assertThat(one.socket().isClosed()).isFalse();
            node.kill();
            await("nothing is left").atMost(PATIENCE).until(() -> sleepers() == 0);
        }
    }

    private static long sleepers() throws IOException {
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            long count = 0;
            for (Path process : processes) {
                try {
                    count += Files.readString(process.resolve("cmdline")).equals("sleep\00067\000") ? 1 : 0;
                } catch (IOException e) {
                    // It has ended meanwhile.
                    continue;
                }
            }
            return count;
        }
    }
}
