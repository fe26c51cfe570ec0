package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.Director;

/** Two directors with a front-end each, that have never spoken with each other: one carries on where the other has lost its power. */
@Tag("lab")
@Timeout(240)
class TwoDirectorsTest {
    /** docs/cluster.md: "within two seconds". */
    private static final long MOST_NANOS = 2_000_000_000L;

    private static String role(ClusterLab lab, int number) {
        return lab.frontend(number).role();
    }

    /** What a front-end has made of the back ends: {@code b1=IN 100}. */
    private static Map<String, String> made(ClusterLab lab, int number) {
        Map<String, String> made = new TreeMap<>();
        for (JsonNode each : lab.frontend(number).status().path("pools").path(0).path("backEnds")) {
            made.put(each.path("name").asText(), each.path("standing").asText() + " " + each.path("weight").asInt());
        }
        return made;
    }

    private static long established(Director director) {
        return director.run("ipvsadm -Lnc | grep -c ESTABLISHED || true").lines().mapToLong(Long::parseLong).sum();
    }

    /**
     * Wrong: a gateway of back ends that stays with the dead; streams that the other has not heard of; one that comes back and takes over. A stream that
     * outlives its nodes lives through the loss of each of the two.
     */
    @Test
    void theOtherCarriesOnWithTheStreamsThatAreOpen() throws Exception {
        try (ClusterLab lab = ClusterLab.pair(2); ServerSocket server = ClusterStream.server(lab)) {
            ClusterLab.await("one of the two is master").until(() -> List.of(role(lab, 1), role(lab, 2)).containsAll(List.of("master", "backup")));
            int master = role(lab, 1).equals("master") ? 1 : 2;
            int other = 3 - master;
            lab.awaitIn(1, 2);
            ClusterLab.await("agreed").until(() -> made(lab, 1).size() == 2 && made(lab, 1).equals(made(lab, 2)));
            try (SessionThroughCluster session = new SessionThroughCluster(lab)) {
                session.goesOn();
                oneIsKilledAndComesBack(lab, server, master);
                session.goesOn();
                // The one that took over is killed in its turn.
                lab.director(other).kill();
                session.goesOn();
                session.finish();
                ClusterLab.await("who came back takes over").until(() -> role(lab, master).equals("master"));
                System.out.println("a stream that outlives both directors: longest stall " + session.longestStall().toMillis() + " ms; " + session.report());
            }
        }
    }

    private static void oneIsKilledAndComesBack(ClusterLab lab, ServerSocket server, int master) throws Exception {
        int other = 3 - master;
        List<ClusterStream> streams = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            streams.add(new ClusterStream(lab, server));
            streams.get(i).carries(1000);
        }
        assertThat(streams).extracting(ClusterStream::backEnd).contains(lab.place(1), lab.place(2));
        ClusterLab.await("synchronised").until(() -> established(lab.director(other)) >= 7);

        long killed = System.nanoTime();
        lab.director(master).kill();
        while (!isServed(lab)) {
            assertThat(System.nanoTime() - killed).as("without service, ns").isLessThan(MOST_NANOS);
        }
        for (ClusterStream stream : streams) {
            stream.carries(1000);
        }
        try (ClusterStream fresh = new ClusterStream(lab, server)) {
            fresh.carries(1000);
        }
        ClusterLab.await("the other is master").until(() -> role(lab, other).equals("master"));

        lab.startOfPair(master).awaitReady();
        ClusterLab.await("who came back is backup").until(() -> role(lab, master).equals("backup"));
        lab.awaitIn(1, 2);
        ClusterLab.await("agreed again").until(() -> made(lab, 1).equals(made(lab, 2)));
        assertThat(role(lab, other)).isEqualTo("master");
        for (ClusterStream stream : streams) {
            stream.carries(1000);
            stream.close();
        }
    }

    private static boolean isServed(ClusterLab lab) throws Exception {
        return lab.testbed().client().host().inside(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(lab.virtual(), 250);
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }
}
