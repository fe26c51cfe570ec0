package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Nodes go on, and start again, with what they had of their fleet. */
class AFleetWithoutItsServerTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static void write(FleetLab lab, int hops) {
        lab.write("fleet.yaml", FleetLab.TIMES + "nodes: {a: {}, b: {}}\nrollout: {soak: 0s}\ndefaults: {routes: {127.0.0.0/8: direct}, limits: {hops: " + hops + "}}\n");
        assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
    }

    private static JsonNode fleet(FleetLab lab, String name) {
        return new NodeView(lab.node(name)).status().path("fleet");
    }

    @Test
    void nodesGoOnAndStartAgainWithWhatTheyHad() throws Exception {
        try (FleetLab lab = new FleetLab()) {
            write(lab, 20);
            lab.node("a", "");
            lab.node("b", "");
            await().until(() -> lab.hops("a") == 20 && lab.hops("b") == 20);
            try (SteadyStream stream = new SteadyStream(lab.node("b"))) {
                lab.down();
                await().until(() -> fleet(lab, "a").path("problem").asText().startsWith("EE-302"));
                assertThat(new NodeView(lab.node("a")).health().path("status").asText()).as("a node is as well without it").isEqualTo("ok");
                lab.node("a").close();
                lab.again("a");
                assertThat(lab.hops("a")).isEqualTo(20);
                assertThat(fleet(lab, "a").path("generation").asLong()).isEqualTo(1);
                damageAndStartAgain(lab);
                lab.up();
                await().atMost(Duration.ofSeconds(40)).until(() -> lab.hops("a") == 20 && lab.status("b").path("state").asText().equals("HAS"));
                assertThat(new NodeView(lab.node("a")).health().has("fleetPartLost")).isFalse();
                write(lab, 21);
                await().until(() -> lab.hops("a") == 21 && lab.hops("b") == 21);
                stream.undisturbed();
            }
        }
    }

    /** What cannot be read any more is said, and the node begins with its own file. */
    private static void damageAndStartAgain(FleetLab lab) throws Exception {
        lab.node("a").close();
        Path file = lab.data("a").resolve("fleet.json");
        ObjectNode json = (ObjectNode) MAPPER.readTree(file.toFile());
        Files.writeString(file, json.set("part", MAPPER.createObjectNode().put("drain", "9s")).toString());
        lab.again("a");
        assertThat(new NodeView(lab.node("a")).health().path("fleetPartLost").asText()).startsWith("EE-644").contains("fleet.json.damaged");
        assertThat(lab.hops("a")).as("its own").isEqualTo(16);
        assertThat(lab.data("a").resolve("fleet.json.damaged")).exists();
    }

    /** The operator has changed the node's file while it was stopped: both together make no sense. */
    @Test
    void aNodeWhoseFileContradictsItsFleetStartsWithItsFileAndSaysSo() throws Exception {
        try (FleetLab lab = new FleetLab()) {
            lab.write("fleet.yaml", FleetLab.TIMES + "nodes: {a: {}}\nrollout: {soak: 0s}\ndefaults: {routes: {127.0.0.0/8: direct}}\n");
            assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
            lab.node("a", "");
            await().until(() -> fleet(lab, "a").path("generation").asLong() == 1);
            lab.node("a").close();
            // Another way to write the same prefix.
            lab.file("a", "routes: {127.0.0.1/8: '127.0.0.1:9'}\n");
            lab.again("a");
            assertThat(new NodeView(lab.node("a")).health().path("fleetPartLost").asText()).contains("EE-644", "with generation 1 of the fleet", "routes");
            await().until(() -> lab.status("a").path("state").asText().equals("REFUSES"));
            lab.file("a", "limits: {hops: 9}\n");
            await().until(() -> lab.status("a").path("state").asText().equals("HAS"));
            assertThat(lab.hops("a")).isEqualTo(9);
            assertThat(fleet(lab, "a").path("generation").asLong()).isEqualTo(1);
        }
    }
}
