package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.paths.wire.SampleLine;

/**
 * Theodolites loaded from a repository measure a full mesh by one plan, and an observatory keeps what they find; both know each other by their certificates. A sixth
 * joins by the plan alone, and SIGKILL of the observatory loses no sample.
 */
@Tag("lab")
@Tag("long")
@Timeout(300)
class TheodolitesMeasureTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WINDOW = 64 * 1024;
    private static final int PIECE = 16 * 1024;
    private static final int PIECES = 400;

    private TheodoliteLab lab;

    @AfterEach
    void close() {
        if (lab != null) {
            lab.close();
        }
    }

    private Set<String> sessions(long after) {
        return lab.observatory().samples().stream().filter(each -> each.time() > after && each.session().startsWith("ping/")).map(SampleLine::session).collect(Collectors.toSet());
    }

    private Map<String, List<SampleLine>> byBoot() {
        return lab.observatory().samples().stream().collect(Collectors.groupingBy(each -> each.theodolite() + " " + each.boot()));
    }

    @Test
    void fiveThenSixAndTheObservatoryIsAwayMeanwhile() throws Exception {
        measure(Duration.ofSeconds(12));
    }

    @Test
    @Tag("sweep")
    void theObservatoryIsAwayForAMinute() throws Exception {
        measure(Duration.ofSeconds(60));
    }

    private void measure(Duration away) throws Exception {
        lab = new TheodoliteLab(6);
        LabObservatory observatory = lab.observatory();
        observatory.plan(lab.plan(5));
        for (int i = 1; i <= 5; i++) {
            lab.start(i);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(0)).as("directed services of five").hasSize(20));

        observatory.kill();
        long gone = System.currentTimeMillis();
        Thread.sleep(away.toMillis());
        long outlive = killAndStartAgain(4);
        observatory.begin();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(System.currentTimeMillis() - 10_000)).hasSize(20));
        for (Map.Entry<String, List<SampleLine>> each : byBoot().entrySet()) {
            assertThat(each.getValue().stream().map(SampleLine::number)).as("%s: none is lost, none came twice", each.getKey())
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, each.getValue().size()).boxed().toList());
        }
        String first = byBoot().keySet().stream().filter(each -> each.startsWith("t4 ")).min(Comparator.naturalOrder()).orElseThrow();
        assertThat(byBoot().get(first).size()).as("what was acknowledged, and what had waited on the disk of the node that was killed").isGreaterThanOrEqualTo((int) outlive);
        long during = gone + away.toMillis() / 2;
        Map<String, List<Long>> times = observatory.samples().stream().collect(Collectors.groupingBy(SampleLine::session, Collectors.mapping(SampleLine::time, Collectors.toList())));
        times.keySet().removeIf(session -> session.startsWith("ping/be/t4/"));
        assertThat(times.values()).as("each session of the others went on").allMatch(all -> all.stream().anyMatch(time -> Math.abs(time - during) < 6_000));

        Set<String> boots = byBoot().keySet();
        long joined = System.currentTimeMillis();
        lab.start(6);
        observatory.plan(lab.plan(6));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(joined)).as("directed services of six").hasSize(30));
        assertThat(byBoot().keySet()).as("nobody else was started again").hasSize(7).containsAll(boots);
        observatory.get("/v1/theodolites").forEach(each -> assertThat(each.path("identity").asText()).isEqualTo(LabObservatory.identity(each.path("name").asText())));

        flows();
        streams();
    }

    /** SIGKILL, when some samples have waited long enough. @return samples that outlive that */
    private long killAndStartAgain(int site) {
        JsonNode samples = lab.node(site).await("/services/theodolite/inspect/state", PATIENCE, state -> state.path("samples").path("onDisk").asInt() > 0).path("samples");
        lab.kill(site);
        lab.start(site);
        return samples.path("acknowledged").asLong() + samples.path("onDisk").asLong();
    }

    /** A stream whose reader takes its time: the node of its source tells, and whoever asks why hears. */
    private void streams() throws Exception {
        InetSocketAddress to = new InetSocketAddress(lab.at(2), 7000);
        try (ServerSocket listener = lab.host(2).inside(() -> slow(to)); AnepPeer peer = lab.host(1).inside(() -> new AnepPeer(new InetSocketAddress(lab.at(1), 3322)))) {
            peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(to.getAddress().getHostAddress(), to.getPort(), Delivery.RAW)));
            CompletableFuture<Void> writing = Grid.async(() -> write(peer));
            try (Socket socket = listener.accept()) {
                byte[] octets = new byte[WINDOW];
                while (socket.getInputStream().read(octets) >= 0) {
                    LockSupport.parkNanos(50_000_000);
                }
            }
            writing.join();
        }
        JsonNode why = await().atMost(PATIENCE).until(() -> lab.observatory().get("/v1/paths/t1/t2/why"), answer -> answer.path("streams").asInt() > 0);
        assertThat(why.path("causes").path(0).path("word").asText()).isEqualTo("receiver");
        assertThat(why.path("worst").path("sentence").asText()).contains("the destination kept its window small or closed");
        assertThat(why.path("newest").path(0).path("size").asLong()).as("with the headers of its packets").isBetween((long) PIECES * PIECE, (long) (1.01 * PIECES * PIECE));
        assertThat(why.path("probes").path("round trip").path("known").asBoolean()).isTrue();
    }

    private static ServerSocket slow(InetSocketAddress address) throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.setReceiveBufferSize(WINDOW);
        listener.bind(address);
        return listener;
    }

    private static void write(AnepPeer peer) {
        byte[] piece = AnepPeer.data(Grid.FORWARD, new byte[PIECE]);
        try {
            for (int i = 0; i < PIECES; i++) {
                peer.send(piece);
            }
            peer.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void flows() {
        LabObservatory observatory = lab.observatory();
        observatory.ask("flow/be/t1/t2");
        SampleLine sample = await().atMost(PATIENCE).until(() -> observatory.samples().stream().filter(each -> each.session().equals("flow/be/t1/t2")).findFirst().orElse(null), each -> each != null);
        System.out.println("a flow: " + sample.values());
        assertThat(sample.values().get("octets")).isGreaterThan(1_000_000);
        assertThat(sample.values().get("seconds")).isBetween(1.0, 10.0);
        assertThat(sample.values().get("steady-mbits")).isPositive();
        assertThat(sample.values()).containsEntry("streams", 2.0).containsKey("retransmissions");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(observatory.ended("flow/be/t1/t2")).containsExactly("done"));
        assertThat(observatory.get("/v1/costs?from=t1&to=t2&size=1000000000").path("costs").path("time").path("why").toString()).contains("by throughput of t1");

        lab.kill(5);
        observatory.ask("flow/be/t1/t5");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(observatory.ended("flow/be/t1/t5")).as("the other end is gone").anyMatch(why -> why.contains("EE-204")));
        long back = System.currentTimeMillis();
        lab.start(5);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sessions(back)).as("it measures again, and is measured").hasSize(30));
        await().atMost(PATIENCE).untilAsserted(() -> {
            Map<String, Double> newest = new HashMap<>();
            observatory.samples().stream().filter(each -> each.session().startsWith("ping/")).forEach(each -> newest.put(each.session(), each.values().get("received")));
            assertThat(newest.values()).hasSize(30).allMatch(received -> received > 0);
        });
        observatory.ask("flow/be/t1/t5");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(observatory.ended("flow/be/t1/t5")).contains("done"));
    }
}
