package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.ServiceBundle;

/**
 * The rolling upgrade of three back ends while streams come all the time: none is refused, none is cut, every octet arrives in both directions, each back end
 * was drained, and all have the new version in the end.
 */
final class UpgradeUnderLoad {
    private static final String NEXT = "9.0.0";
    /** Streams that are open at a time: each lives for so many others. */
    private static final int OPEN = 8;
    private static final int OCTETS = 20_000;

    private final ClusterLab lab;
    private final ServerSocket server;
    private final ArrayDeque<ClusterStream> open = new ArrayDeque<>();
    private final Map<InetAddress, Integer> served = new HashMap<>();
    private int finished;

    UpgradeUnderLoad(ClusterLab lab, ServerSocket server) {
        this.lab = lab;
        this.server = server;
    }

    private void one() throws Exception {
        ClusterStream fresh = new ClusterStream(lab, server, null, Grid.MONITORING);
        fresh.carries(OCTETS);
        served.merge(fresh.backEnd(), 1, Integer::sum);
        open.add(fresh);
        if (open.size() > OPEN) {
            finish(open.remove());
        }
    }

    private void finish(ClusterStream stream) throws IOException {
        stream.carries(OCTETS);
        stream.finish();
        finished++;
    }

    void run() throws Exception {
        // All back ends run the version before.
        while (served.size() < 3) {
            one();
        }
        List<String> before = versions();
        assertThat(before).hasSize(3).doesNotContain(NEXT);
        await("the front-end has heard of it").atMost(ClusterLab.PATIENCE).until(() -> lab.frontend().status().findValues("services").stream()
                .filter(services -> services.toString().contains("\"monitoring\"")).count() == 3);
        lab.push(ServiceBundle.of(Grid.bundle("monitoring")).version(NEXT).in(lab.directory()));
        CompletableFuture<Command.Result> upgrade = CompletableFuture.supplyAsync(() -> lab.upgrade("monitoring", "30s"),
                task -> new Thread(task, "test-upgrade").start());
        served.clear();
        int opened = 0;
        while (!upgrade.isDone()) {
            one();
            opened++;
        }
        Command.Result result = upgrade.join();
        assertThat(result.exit()).as(result.output() + result.errors()).isZero();
        for (int i = 1; i <= 3; i++) {
            assertThat(result.output()).containsSubsequence("b" + i + " takes no new streams", "b" + i + " changes, with no stream open", "b" + i + " has " + NEXT
                    + " and takes streams");
        }
        one();
        while (!open.isEmpty()) {
            finish(open.remove());
        }
        assertThat(finished).as("streams that carried everything and ended cleanly").isGreaterThan(opened);
        assertThat(served).as("streams of each meanwhile").hasSize(3);
        assertThat(versions()).containsExactly(NEXT, NEXT, NEXT);
    }

    /** What new streams get in each back end. */
    private List<String> versions() {
        List<String> versions = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            TreeSet<String> current = new TreeSet<>();
            for (JsonNode each : lab.node(i).get("/services").path("services")) {
                if (each.path("name").asText().equals("monitoring") && each.path("current").asBoolean()) {
                    current.add(each.path("version").asText());
                }
            }
            versions.addAll(current);
        }
        return versions;
    }
}
