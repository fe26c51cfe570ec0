package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;

/** A cluster with a real front-end, real IPVS and real nodes: every stream is served, whoever is killed, drains or comes back. */
@Tag("lab")
@Timeout(240)
class ManyNodesBehindOneAddressTest {
    /** A stream through the cluster, as its two ends see it. */
    private static final class Through implements AutoCloseable {
        final AnepPeer source;
        final Socket destination;

        Through(ClusterLab lab, ServerSocket server) throws Exception {
            source = lab.testbed().client().host().inside(() -> new AnepPeer(lab.virtual()));
            source.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(lab.receiver().ipv4().getHostAddress(), server.getLocalPort(), Delivery.RAW)));
            destination = server.accept();
            destination.setSoTimeout(20_000);
        }

        /** The address of the back end that serves it. */
        InetAddress backEnd() {
            return ((InetSocketAddress) destination.getRemoteSocketAddress()).getAddress();
        }

        /** There and back. */
        void carries(int octets) throws IOException {
            source.send(AnepPeer.data(Grid.FORWARD, new byte[octets]));
            assertThat(destination.getInputStream().readNBytes(octets)).hasSize(octets);
            destination.getOutputStream().write(new byte[octets]);
            for (int had = 0; had < octets;) {
                Packet packet = source.receive();
                assertThat(packet).as("the stream goes on").isNotNull();
                had += packet.payloadLength();
            }
        }

        @Override
        public void close() throws IOException {
            source.close();
            destination.close();
        }
    }

    @Test
    void streamsGoOnThroughDeathDrainAndReturn() throws Exception {
        try (ClusterLab lab = new ClusterLab(3, ""); ServerSocket server = lab.receiver().host().inside(() -> new ServerSocket(0, 100, lab.receiver().ipv4()))) {
            server.setSoTimeout(20_000);
            lab.awaitIn(1, 2, 3);
            List<Through> streams = new ArrayList<>();
            Map<InetAddress, Integer> served = new HashMap<>();
            for (int i = 0; i < 30; i++) {
                Through stream = new Through(lab, server);
                stream.carries(1000);
                streams.add(stream);
                served.merge(stream.backEnd(), 1, Integer::sum);
            }
            assertThat(served).as("streams of each back end").hasSize(3).allSatisfy((address, count) -> assertThat(count).isBetween(5, 16));
            death(lab, server, streams);
            lab.startNode(1);
            lab.awaitIn(1);
            drain(lab, server, streams);
            for (Through stream : streams) {
                stream.close();
            }
            new UpgradeUnderLoad(lab, server).run();
        }
    }

    /** A killed back end costs its own streams and no others. */
    private static void death(ClusterLab lab, ServerSocket server, List<Through> streams) throws Exception {
        InetAddress dead = lab.testbed().backEnd(1).ipv4();
        lab.node(1).kill();
        long killed = System.nanoTime();
        int refused = 0;
        while (true) {
            try (Through fresh = new Through(lab, server)) {
                fresh.carries(10);
                assertThat(fresh.backEnd()).isNotEqualTo(dead);
                if (System.nanoTime() - killed > 4_000_000_000L) {
                    break;
                }
            } catch (IOException e) {
                refused++;
                assertThat(System.nanoTime() - killed).as("until new streams are served, ns (%d were refused)", refused).isLessThan(4_000_000_000L);
            }
        }
        for (Through stream : List.copyOf(streams)) {
            if (stream.backEnd().equals(dead)) {
                stream.close();
                streams.remove(stream);
            } else {
                stream.carries(1000);
            }
        }
    }

    /** A back end that leaves keeps its streams and gets no new ones. */
    private static void drain(ClusterLab lab, ServerSocket server, List<Through> streams) throws Exception {
        InetAddress leaving = lab.testbed().backEnd(2).ipv4();
        lab.testbed().backEnd(2).host().run("curl", "-sf", "-X", "POST", lab.node(2).admin() + "/cluster/leave");
        lab.until(2, shown -> shown.path("standing").asText().equals("DRAINING"));
        Thread.sleep(1000);
        for (int i = 0; i < 10; i++) {
            try (Through fresh = new Through(lab, server)) {
                fresh.carries(10);
                assertThat(fresh.backEnd()).isNotEqualTo(leaving);
            }
        }
        assertThat(streams).extracting(Through::backEnd).contains(leaving);
        for (Through stream : streams) {
            stream.carries(1000);
        }
        lab.testbed().backEnd(2).host().run("curl", "-sf", "-X", "POST", lab.node(2).admin() + "/cluster/join");
        lab.awaitIn(2);
    }
}
