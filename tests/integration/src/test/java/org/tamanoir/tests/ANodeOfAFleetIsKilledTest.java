package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.DebianPackages;

/**
 * A node of a fleet gets SIGKILL at the entry of system calls by which it keeps and commits what the fleet says: started again it has the one part or the other,
 * and soon the newest. Beside it runs one whose clock is an hour off.
 */
@Tag("lab")
@Tag("sweep")
class ANodeOfAFleetIsKilledTest {
    /** A system call, and the how-manieth of its kind on these files. The last is between the disk and the commit. */
    private static final List<String> STEPS = List.of("openat 1", "write 1", "fsync 1", "rename 1", "rename 2");

    private FleetLab lab;
    private Path data;
    private int hops = 20;

    private void apply(int next) {
        hops = next;
        lab.write("fleet.yaml", FleetLab.TIMES + "nodes: {a: {}, b: {}}\nrollout: {soak: 200ms}\ndefaults: {routes: {127.0.0.0/8: direct}, limits: {hops: " + next + "}}\n");
        assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
    }

    private NodeProgram start() throws Exception {
        return new NodeProgram(data, "--listen", "127.0.0.1:0", "--config", lab.grid().directory().resolve("a.yaml").toString());
    }

    private static int hops(NodeProgram node) {
        return node.admin().json("/status").path("limits").path("hops").asInt();
    }

    @Test
    void hasTheOnePartOrTheOtherAndAClockThatIsWrongChangesNothing() throws Exception {
        boolean root = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        Assumptions.assumeTrue(root && Files.isExecutable(Path.of("/usr/bin/strace")), "needs root and strace: apt-get install strace");
        DebianPackages.require("faketime", "faketime");
        try (FleetLab fleet = new FleetLab()) {
            lab = fleet;
            data = lab.data("a");
            apply(20);
            lab.file("a", "");
            Path late = lab.file("b", "");
            try (NodeProgram odd = NodeProgram.withClock("-1h", lab.data("b"), "--listen", "127.0.0.1:0", "--config", late.toString())) {
                NodeProgram node = start();
                try {
                    await().until(() -> hops(node) == 20 && hops(odd) == 20);
                } finally {
                    node.close();
                }
                for (String step : STEPS) {
                    killAt(step);
                }
                await().until(() -> hops(odd) == hops);
                await().until(() -> lab.status().path("rollout").path("phase").asText().equals("DONE"));
                JsonNode heard = lab.status("b");
                assertThat(heard.path("heardMillis").asLong()).as("by the server's clock").isBetween(0L, 10_000L);
                assertThat(Duration.between(clock(odd), Instant.now())).as("it is an hour off").isBetween(Duration.ofMinutes(58), Duration.ofMinutes(62));
            }
        }
    }

    /** What the audit log of a node says of the time when it was asked to change something. */
    private Instant clock(NodeProgram node) throws Exception {
        node.admin().post("/reload", Map.of());
        List<String> lines = Files.readAllLines(lab.data("b").resolve("audit.log"));
        return Instant.parse(lines.get(lines.size() - 1).replaceFirst("^.*?(\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z).*$", "$1"));
    }

    private void killAt(String step) throws Exception {
        String call = step.split(" ")[0];
        int before = hops;
        NodeProgram node = start();
        try {
            assertThat(hops(node)).as("before %s", step).isEqualTo(before);
            await().until(() -> lab.status("a").path("state").asText().equals("HAS"));
            List<Path> files = List.of(data.resolve("fleet.json.next.part"), data.resolve("fleet.json.next"), data.resolve("fleet.json"));
            try (KillingTracer tracer = new KillingTracer(node.pid(), call, Integer.parseInt(step.split(" ")[1]), files, lab.grid().directory().resolve("strace"))) {
                apply(before + 1);
                await("killed at " + step).until(tracer::hasEnded);
            }
            assertThat(node.isAlive()).as("killed at %s", step).isFalse();
        } finally {
            node.close();
        }
        JsonNode kept = new ObjectMapper().readTree(data.resolve("fleet.json").toFile());
        assertThat(kept.path("part").path("limits").path("hops").asInt()).as("on the disk after %s", step).isEqualTo(before);
        assertThat(data.resolve("fleet.json.next").toFile().exists()).as("written and not in force").isEqualTo(step.equals("rename 2"));
        try (NodeProgram again = start()) {
            assertThat(again.said()).startsWith("READY");
            assertThat(again.admin().json("/status").path("health").has("fleetPartLost")).isFalse();
            await().until(() -> hops(again) == hops);
            assertThat(data.resolve("fleet.json.next")).doesNotExist();
            assertThat(data.resolve("fleet.json.next.part")).doesNotExist();
        }
    }
}
