package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;

/** Four nodes get their configuration from a fleet, ring by ring, while streams run through all of them. */
class AFleetIsLedTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private FleetLab lab;

    /** One fleet for all of it: its nodes take longer to start than what is done with them. */
    @Test
    @Tag("long")
    void ringByRingAndSafely() throws Exception {
        try (FleetLab fleet = new FleetLab()) {
            lab = fleet;
            write("hold", "100ms");
            assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
            for (String name : NAMES) {
                lab.node(name, name.equals("c") ? "drain: 3s\nlimits: {streams: 77}\n" : "");
            }
            begin();
            ringByRingWhileStreamsGoOnAndWhatOneRefusesReachesNoOther();
            begin();
            aRingWhoseStreamsFailStopsTheRolloutAndGetsBackWhatItHad();
            begin();
            whatDiffersOnANodeIsShownKeyByKeyWithWhoHasTheLastWord();
            begin();
            twoOperatorsAtOnceAndAPlanThatWouldCutNodesOff();
        }
    }

    /** Whatever was applied before. */
    private void begin() {
        write("hold", "100ms");
        lab.fleet("apply", lab.folder(), "--yes", "--at-once");
        await().untilAsserted(() -> assertThat(lab.status().path("nodes").findValuesAsText("state")).containsOnly("HAS"));
        await().until(() -> lab.status().path("rollout").path("phase").asText().equals("DONE"));
    }

    private void write(String onStop, String soak) {
        lab.write("fleet.yaml", FleetLab.TIMES + "nodes: {a: {labels: [edge]}, b: {labels: [edge]}, c: {}, d: {labels: [edge]}}\nrings: [{name: canary, nodes: [a]}, {name: site, labels: [edge]}, {name: rest}]\n"
                + "rollout: {soak: " + soak + ", grace: 300ms, silent: 20s, patience: 20s, on-stop: " + onStop + ", unhealthy: {least-streams: 5}}\n"
                + "channels: {stable: {compression: 0.1.0}}\ndefaults: {channel: stable, routes: {127.0.0.0/8: direct}, limits: {hops: 18}, drain: 2s}\n");
        lab.write("groups/edge.yaml", "limits: {hops: 20}\n").write("nodes/d.yaml", "limits: {hops: 24}\n").write("nodes/c.yaml", "");
    }

    /** Of the newest generation. */
    private long generation() {
        return lab.status().path("generation").path("number").asLong();
    }

    private List<Integer> hops() {
        return NAMES.stream().map(lab::hops).toList();
    }

    private void ringByRingWhileStreamsGoOnAndWhatOneRefusesReachesNoOther() throws Exception {
        List<SteadyStream> streams = new ArrayList<>();
        for (String name : NAMES) {
            streams.add(new SteadyStream(lab.node(name)));
        }
        assertThat(hops()).containsExactly(20, 20, 18, 24);
        assertThat(Grid.admin(lab.node("a")).json("/pins").toString()).contains("compression", "0.1.0", "0:0:0:0:0:0:0:0/0");
        assertThat(lab.fleet("plan", lab.folder(), "--exit-code").exit()).as("nothing would change").isZero();
        lab.write("groups/edge.yaml", "limits: {hops: 21}\n").write("nodes/d.yaml", "limits: {hops: 25}\n").write("nodes/c.yaml", "limits: {hops: 19}\n");
        Command.Result plan = lab.fleet("plan", lab.folder(), "--exit-code");
        assertThat(plan.exit()).as("something would change").isEqualTo(1);
        assertThat(plan.output()).contains("ring canary\n  a\n    ~ limits.hops: 20 -> 21", "ring site\n  b\n", "  d\n    ~ limits.hops: 24 -> 25", "4 of 4 nodes would change");
        Command.Result applied = lab.fleet("apply", lab.folder(), "--yes", "--wait");
        assertThat(applied.exit()).as(applied.toString()).isZero();
        assertThat(applied.output()).containsSubsequence("in ring 1 of 3 (canary)", "in ring 2 of 3 (site)", "in ring 3 of 3 (rest)", "is done");
        assertThat(hops()).containsExactly(21, 21, 19, 25);

        lab.write("groups/edge.yaml", "limits: {hops: 300}\n");
        assertThat(lab.fleet("plan", lab.folder())).satisfies(refused -> {
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.errors()).contains("EE-640 a would refuse it: limits.hops: it is 300; it must be from 1 to 255");
        });
        long before = generation();
        Command.Result stopped = lab.fleet("apply", lab.folder(), "--yes", "--wait", "--unchecked");
        assertThat(stopped.exit()).isEqualTo(1);
        assertThat(stopped.errors()).contains("EE-645", "ring 1 of 3 (canary)", "a refuses it: EE-501 with generation " + (before + 1) + " of the fleet: limits.hops: it is 300", "keep it");
        assertThat(hops()).as("as before, all of them").containsExactly(21, 21, 19, 25);
        assertThat(new NodeView(lab.node("a")).health().path("fleetRefused").asText()).contains("limits.hops");
        assertThat(lab.fleet("rollback", "--yes", "--wait").exit()).isZero();
        assertThat(generation()).isEqualTo(before + 2);
        await().untilAsserted(() -> assertThat(new NodeView(lab.node("a")).health().has("fleetRefused")).isFalse());
        for (SteadyStream stream : streams) {
            stream.undisturbed();
            stream.close();
        }
    }

    private void aRingWhoseStreamsFailStopsTheRolloutAndGetsBackWhatItHad() throws Exception {
        write("rollback", "5s");
        lab.write("fleet.yaml", Files.readString(Path.of(lab.folder(), "fleet.yaml")).replace("routes: {127.0.0.0/8: direct}", "routes: {127.0.0.0/8: direct, 127.9.0.0/16: '127.0.0.1:9'}"));
        assertThat(lab.fleet("apply", lab.folder(), "--yes").exit()).isZero();
        await().until(() -> Grid.admin(lab.node("a")).json("/routes").path("routes").has("127.9.0.0/16"));
        for (int i = 0; i < 8; i++) {
            try (AnepPeer peer = new AnepPeer(lab.node("a").address())) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to("127.9.0.1", 7000, Delivery.RAW)));
                assertThat(peer.refusal().toString()).isEqualTo("EE-204");
            }
        }
        await().until(() -> lab.status().path("rollout").path("phase").asText().equals("STOPPED"));
        assertThat(lab.status().path("rollout").path("why").asText()).contains("a: 8 of 8 streams have failed since it has it");
        await().until(() -> !Grid.admin(lab.node("a")).json("/routes").path("routes").has("127.9.0.0/16"));
        assertThat(Grid.admin(lab.node("b")).json("/routes").path("routes").has("127.9.0.0/16")).isFalse();
        assertThat(lab.fleet("status").output()).contains("STOPPED in ring 1 of 3 (canary)", "get back what they had");
    }

    private void whatDiffersOnANodeIsShownKeyByKeyWithWhoHasTheLastWord() throws Exception {
        NodeView.putRoute(lab.node("c"), "10.9.0.0/16", "direct");
        await().until(() -> lab.status("c").path("report").path("drift").size() == 2);
        String shown = lab.fleet("status", "--node", "c").output();
        assertThat(shown).contains("is to have generation " + generation() + ", has " + generation() + ": has it", "drain", "its own file says so", "route 10.9.0.0/16", "changed by its admin API");
        assertThat(shown.lines().filter(line -> line.startsWith("drain")).findFirst().orElseThrow().split(" +")).startsWith("drain", "2s", "3s");
        JsonNode status = new NodeView(lab.node("c")).status();
        assertThat(status.path("limits").path("streams").asInt()).as("of the file").isEqualTo(77);
        assertThat(status.path("limits").path("hops").asInt()).as("of the fleet").isEqualTo(18);
        assertThat(status.path("fleet").path("name").asText()).isEqualTo("c");

        lab.write("nodes/c.yaml", "limits: {hops: 19}\n");
        assertThat(lab.fleet("apply", lab.folder(), "--yes", "--wait").exit()).isZero();
        assertThat(Grid.admin(lab.node("c")).json("/routes").path("routes").has("10.9.0.0/16")).as("a new part takes back what the API has changed").isFalse();
        assertThat(new NodeView(lab.node("c")).status().path("configuration").path("overridden").toString()).contains("route 10.9.0.0/16, added by the API, is gone");
        Path file = lab.grid().directory().resolve("c.yaml");
        String own = Files.readString(file);
        Files.writeString(file, own.replace("drain: 3s\n", ""));
        await().until(() -> lab.status("c").path("report").path("drift").isEmpty());
        assertThat(lab.status("c").path("report").path("restart").toString()).isEqualTo("[\"drain\"]");
        Files.writeString(file, own);
        await().until(() -> lab.status("c").path("report").path("drift").size() == 1);
    }

    private void twoOperatorsAtOnceAndAPlanThatWouldCutNodesOff() throws Exception {
        long base = FleetLab.json(lab.fleet("plan", lab.folder(), "--json")).path("base").asLong();
        lab.write("groups/edge.yaml", "limits: {hops: 21}\n");
        assertThat(lab.fleet("apply", lab.folder(), "--yes", "--why", "more hops").exit()).isZero();
        lab.write("groups/edge.yaml", "limits: {hops: 22}\n");
        Command.Result second = lab.fleet("apply", lab.folder(), "--yes", "--generation", Long.toString(base));
        assertThat(second.exit()).isEqualTo(4);
        assertThat(second.errors()).contains("EE-641", "generation " + (base + 1) + " is in force", "more hops", "a limits.hops changed, b limits.hops changed");
        lab.write("fleet.yaml", Files.readString(Path.of(lab.folder(), "fleet.yaml")).replace("routes: {127.0.0.0/8: direct}, ", ""));
        Command.Result cut = lab.fleet("plan", lab.folder());
        assertThat(cut.exit()).isEqualTo(4);
        assertThat(cut.errors()).contains("EE-642", "a: it would have no route, and refuse every stream");
        assertThat(lab.fleet("status", "--generations").output()).contains("more hops");
        assertThat(generation()).isEqualTo(base + 1);
    }
}
