package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Port;

/** A cluster with a real front-end, a real director and real nodes: every stream is served, whoever is killed, drains or comes back. */
@Tag("lab")
@Timeout(240)
class ManyNodesBehindOneAddressTest {
    @Test
    void behindIpvs() throws Exception {
        try (ClusterLab lab = new ClusterLab(3, ""); ServerSocket server = ClusterStream.server(lab)) {
            lab.awaitIn(1, 2, 3);
            assertThat(lab.frontend().director().toString()).isEqualTo("{\"engine\":\"ipvs\",\"why\":\"the kernel has IPVS\",\"role\":\"alone\",\"carries\":true,"
                    + "\"problem\":null}");
            List<ClusterStream> streams = spread(lab, server);
            death(lab, server, streams);
            drain(lab, server, streams);
            close(streams);
            affinity(lab, server);
            directRouting(lab, server);
            leavesNothing(lab);
        }
    }

    private static void leavesNothing(ClusterLab lab) {
        lab.frontend().end();
        assertThat(lab.director().run("ipvsadm -Sn; iptables-legacy -t mangle -S | grep -i tamanoir; ls -l /proc/*/exe 2>&1 | grep keepalived; "
                + "find /run/frontend -type f; sysctl -n net.ipv4.vs.expire_nodest_conn").lines()).as("what is left").containsExactly(
                "/run/frontend/plan.json", "0");
    }

    @Test
    @Tag("sweep")
    void behindIpvsThroughAnUpgradeAndTheDeathsOfItsPrograms() throws Exception {
        try (ClusterLab lab = new ClusterLab(3, ""); ServerSocket server = ClusterStream.server(lab)) {
            lab.awaitIn(1, 2, 3);
            new UpgradeUnderLoad(lab, server).run();
            List<ClusterStream> streams = List.of(new ClusterStream(lab, server), new ClusterStream(lab, server));
            aDeadFrontEnd(lab, streams);
            close(streams);
            lab.frontend().kill();
            lab.frontend().start().awaitReady();
            leavesNothing(lab);
        }
    }

    @Test
    void behindNftables() throws Exception {
        try (ClusterLab lab = ClusterLab.nft(3); ServerSocket server = ClusterStream.server(lab)) {
            lab.awaitIn(1, 2, 3);
            assertThat(lab.tell()).contains("director  nft (nft was asked for), alone").doesNotContain("problem");
            List<ClusterStream> streams = spread(lab, server);
            death(lab, server, streams);
            drain(lab, server, streams);
            close(streams);
            affinity(lab, server);
            refusals(lab);
            lab.frontend().end();
            assertThat(lab.frontend().machine().run("nft list tables")).as("what is left").isBlank();
        }
    }

    private static List<ClusterStream> spread(ClusterLab lab, ServerSocket server) throws Exception {
        List<ClusterStream> streams = new ArrayList<>();
        Map<InetAddress, Integer> served = new HashMap<>();
        while (served.size() < 3 || Collections.min(served.values()) < 3) {
            assertThat(streams).as("streams, and still not three at each back end: %s", served).hasSizeLessThan(90);
            ClusterStream stream = new ClusterStream(lab, server);
            stream.carries(1000);
            streams.add(stream);
            served.merge(stream.backEnd(), 1, Integer::sum);
        }
        return streams;
    }

    /** A killed back end costs its own streams and no others, and comes back. */
    private static void death(ClusterLab lab, ServerSocket server, List<ClusterStream> streams) throws Exception {
        InetAddress dead = lab.place(1);
        lab.node(1).kill();
        long killed = System.nanoTime();
        int refused = 0;
        for (int inARow = 0; inARow < 20;) {
            try (ClusterStream fresh = new ClusterStream(lab, server)) {
                fresh.carries(10);
                assertThat(fresh.backEnd()).isNotEqualTo(dead);
                inARow++;
            } catch (IOException e) {
                refused++;
                inARow = 0;
                assertThat(System.nanoTime() - killed).as("until new streams are served, ns (%d were refused)", refused).isLessThan(4_000_000_000L);
            }
        }
        lab.until(1, shown -> !shown.path("answers").asBoolean());
        for (ClusterStream stream : List.copyOf(streams)) {
            if (stream.backEnd().equals(dead)) {
                stream.close();
                streams.remove(stream);
            } else {
                stream.carries(1000);
            }
        }
        lab.startNode(1);
        lab.awaitIn(1);
    }

    /** A back end that leaves keeps its streams and gets no new ones; datagrams go elsewhere at once. */
    private static void drain(ClusterLab lab, ServerSocket server, List<ClusterStream> streams) throws Exception {
        InetAddress leaving = lab.place(2);
        lab.post(2, "/cluster/leave");
        lab.until(2, shown -> shown.path("standing").asText().equals("DRAINING"));
        long end = System.nanoTime() + 10_000_000_000L;
        for (int inARow = 0; inARow < 10; inARow++) {
            try (ClusterStream fresh = new ClusterStream(lab, server)) {
                fresh.carries(10);
                if (fresh.backEnd().equals(leaving)) {
                    assertThat(System.nanoTime()).as("it still gets streams").isLessThan(end);
                    inARow = -1;
                }
            }
        }
        for (int inARow = 0; inARow < 5; inARow++) {
            if (ClusterStream.overUdp(lab, lab.testbed().client().ipv4()).equals(leaving)) {
                assertThat(System.nanoTime()).as("it still gets datagrams").isLessThan(end);
                inARow = -1;
            }
        }
        assertThat(streams).extracting(ClusterStream::backEnd).contains(leaving);
        for (ClusterStream stream : streams) {
            stream.carries(1000);
        }
        lab.post(2, "/cluster/join");
        lab.awaitIn(2);
    }

    /** Without its front-end, and then without keepalived, a director goes on; the next start takes over. */
    private static void aDeadFrontEnd(ClusterLab lab, List<ClusterStream> streams) throws Exception {
        try (SteadyStreams steady = new SteadyStreams(lab)) {
            lab.frontend().kill();
            for (ClusterStream stream : streams) {
                stream.carries(1000);
            }
            lab.frontend().start().awaitReady();
            lab.awaitIn(1, 2, 3);
            String keepalived = lab.director().run("cat /run/frontend/ipvs/keepalived.pid").strip();
            lab.director().run("kill -9 " + keepalived);
            await().atMost(ClusterLab.PATIENCE).until(() -> !lab.director().run("cat /run/frontend/ipvs/keepalived.pid 2>&1 || true").strip().matches("|.*No such.*|"
                    + keepalived));
            lab.awaitIn(1, 2, 3);
            steady.allServed("the front-end and keepalived were dead");
        }
        for (ClusterStream stream : streams) {
            stream.carries(1000);
        }
        assertThat(lab.frontend().director().path("problem").isNull()).as("%s", lab.frontend().status()).isTrue();
    }

    /** As soon as a back end runs a service that needs it, each source has one back end, over TCP and UDP. */
    private static void affinity(ClusterLab lab, ServerSocket server) throws Exception {
        Port client = lab.testbed().client();
        List<InetAddress> sources = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            InetAddress source = lab.testbed().outer().ipv4(150 + i);
            client.host().ip("address", "add", source.getHostAddress() + "/32", "dev", client.name());
            sources.add(source);
        }
        try (ClusterStream stateful = new ClusterStream(lab, server, null, ClusterLab.STATEFUL); SteadyStreams steady = new SteadyStreams(lab)) {
            stateful.carries(10);
            await().atMost(ClusterLab.PATIENCE).until(() -> lab.status().path("pools").path(0).path("affinity").asText().equals("SOURCE"));
            Set<InetAddress> used = new HashSet<>();
            // One back end for a while is no proof: wlc chooses the one that has served least, until it has caught up.
            await("the director has been told").atMost(ClusterLab.PATIENCE).until(() -> lab.director() == null
                    || lab.director().run("ipvsadm -Ln").contains("persistent"));
            await("it has affinity").atMost(ClusterLab.PATIENCE).until(() -> Set.copyOf(chosen(lab, server, sources.get(0), 6)).size() == 1);
            steady.allServed("the pool began to need affinity");
            for (InetAddress source : sources) {
                List<InetAddress> backEnds = chosen(lab, server, source, 3);
                assertThat(backEnds).as("of %s, over TCP and UDP", source).containsOnly(backEnds.get(0));
                used.add(backEnds.get(0));
            }
            assertThat(used).as("sources are spread").hasSizeGreaterThan(1);
            stateful.carries(10);
        }
    }

    /** The back ends that a source gets, over TCP and UDP by turns. */
    private static List<InetAddress> chosen(ClusterLab lab, ServerSocket server, InetAddress source, int times) throws Exception {
        List<InetAddress> chosen = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            try (ClusterStream stream = new ClusterStream(lab, server, source, Grid.FORWARD)) {
                chosen.add(stream.backEnd());
            }
            chosen.add(ClusterStream.overUdp(lab, source));
        }
        return chosen;
    }

    /** The file says so, and from then on answers leave past the director: nodes set themselves up for it. */
    private static void directRouting(ClusterLab lab, ServerSocket server) throws Exception {
        lab.testbed().answerByRouter();
        lab.frontend().configure(lab.pools(", method: direct, affinity: none"));
        await().atMost(ClusterLab.PATIENCE).until(() -> lab.frontend().status().path("pools").path(0).path("method").asText().equals("DIRECT"));
        for (int i = 1; i <= 3; i++) {
            JsonNode[] seen = new JsonNode[1];
            LabNode node = lab.node(i);
            await().atMost(ClusterLab.PATIENCE).untilAsserted(() -> {
                seen[0] = node.get("/cluster");
                assertThat(seen[0].path("virtual").toString()).contains("streams come in at " + lab.virtual().getAddress().getHostAddress());
                assertThat(seen[0].path("problems")).isEmpty();
            });
        }
        String address = lab.virtual().getAddress().getHostAddress() + ":" + ClusterLab.PORT;
        await().atMost(ClusterLab.PATIENCE).until(() -> lab.director().run("ipvsadm -Ln -t " + address + " | grep -c Route; ipvsadm -Ln -u " + address
                + " | grep -c Route; true").lines().toList().equals(List.of("3", "3")));
        lab.awaitIn(1, 2, 3);
        // The kernel adds up every two seconds; counters go on from those of before.
        long[] answers = {-1};
        await().atMost(ClusterLab.PATIENCE).pollInterval(Duration.ofMillis(2_500)).until(() -> answers[0] == (answers[0] = octets(lab, "outOctets")));
        long asked = octets(lab, "inOctets");
        List<ClusterStream> streams = new ArrayList<>();
        Set<InetAddress> overTcp = new HashSet<>();
        Set<InetAddress> overUdp = new HashSet<>();
        // Each goes to the one that has the fewest for its weight, and weights differ.
        while (overTcp.size() < 3 || overUdp.size() < 3) {
            assertThat(streams).as("streams, and still only %s over TCP, %s over UDP", overTcp, overUdp).hasSizeLessThan(60);
            ClusterStream stream = new ClusterStream(lab, server);
            streams.add(stream);
            stream.carries(2000);
            overTcp.add(stream.backEnd());
            overUdp.add(ClusterStream.overUdp(lab, lab.testbed().client().ipv4()));
        }
        close(streams);
        await("what came is counted").atMost(ClusterLab.PATIENCE).pollInterval(Duration.ofMillis(2_500)).until(() -> octets(lab, "inOctets") > asked);
        assertThat(octets(lab, "outOctets")).as("octets of answers by the director").isEqualTo(answers[0]);
    }

    /** What the director has counted of all back ends together. */
    private static long octets(ClusterLab lab, String which) {
        return lab.status().path("pools").findValues(which).stream().mapToLong(JsonNode::asLong).sum();
    }

    /** What keeps a front-end from starting is said with its code, and touches nothing. */
    private static void refusals(ClusterLab lab) {
        Host host = lab.testbed().backEnd(3).host();
        String command = "'" + String.join("' '", lab.frontend().command("--engine", "auto", "--listen", "127.0.0.1:0", "--data",
                lab.frontend().machine().directory() + "/another")) + "'";
        assertThat(host.tryRun(Duration.ofSeconds(60), "bash", "-c", "setpriv --inh-caps=-all --bounding-set=-all " + command)).satisfies(ended -> {
            assertThat(ended.exit()).isEqualTo(1);
            assertThat(ended.errors()).contains("EE-904", "CAP_NET_ADMIN");
        });
        host.nft("table inet tamanoir_cluster {\nchain mine {\n}\n}");
        assertThat(host.tryRun(Duration.ofSeconds(60), "bash", "-c", command)).satisfies(ended -> {
            assertThat(ended.exit()).isNotZero();
            assertThat(ended.errors()).contains("EE-906", "tamanoir_cluster");
        });
        assertThat(host.run("nft", "list", "tables").output()).contains("tamanoir_cluster");
    }

    private static void close(List<ClusterStream> streams) throws IOException {
        for (ClusterStream stream : streams) {
            stream.close();
        }
    }
}
