package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.Node;

/** The service coalesce between real nodes: fewer datagrams on the way, and at both ends the same as without it. */
class SmallDatagramsAreJoinedTest {
    private static final int COALESCE = 0x5410;
    private static final Pattern JOINED = Pattern.compile("^tamanoir_coalesce_joined_packets_total\\{[^}]*} (\\S+)$", Pattern.MULTILINE);
    private static final int BURST = 20;
    private static final int BURSTS = 2;
    private static final int[] NOTHING_MORE = {};
    private static final String PORT = "c0020002[0-9a-f]{4}";

    /** Some shrink, some do not, and every tenth is too large to be joined. */
    private static byte[] payload(int number) {
        byte[] payload = new byte[number % 10 == 9 ? 1350 : 1 + number * 37 % 200];
        if (number % 2 == 0) {
            new Random(number).nextBytes(payload);
        }
        return payload;
    }

    private static byte[] datagram(int typeId, int[] chain, Delivery delivery, int port, int number) {
        PacketOptions options = AnepPeer.to(port, delivery, chain).stream(7, number).qosSession(number % 7);
        return AnepPeer.packet(new PacketBuilder(typeId).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(Unpooled.wrappedBuffer(payload(number))));
    }

    /** What arrives at the destination, and what comes back at the source, but for the Type ID and the port of the destination. */
    private static List<String> arrives(Node first, int typeId, int[] chain, Delivery delivery) throws IOException {
        List<String> arrived = new ArrayList<>();
        try (UdpPeer destination = new UdpPeer(); UdpPeer peer = new UdpPeer(first.address())) {
            for (int i = 0; i < BURSTS * BURST; i += BURST) {
                for (int number = i; number < i + BURST; number++) {
                    peer.send(datagram(typeId, chain, delivery, destination.port(), number));
                }
                for (int number = 0; number < BURST; number++) {
                    arrived.add(hex(destination.receive(), delivery));
                }
                for (int number = i; number < i + BURST; number++) {
                    destination.send(delivery == Delivery.RAW ? payload(number) : datagram(typeId, chain, delivery, 9, number));
                }
                for (int number = 0; number < BURST; number++) {
                    arrived.add(hex(peer.receive(), Delivery.ANEP));
                }
            }
        }
        return arrived;
    }

    private static String hex(byte[] octets, Delivery delivery) {
        String hex = HexFormat.of().formatHex(octets);
        return delivery == Delivery.RAW ? hex : hex.substring(0, 4) + hex.substring(8).replaceFirst(PORT, "");
    }

    @Test
    void whatArrivesIsWhatWouldArriveWithoutIt() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            grid.push(Grid.bundle("coalesce"));
            Node last = grid.node();
            Node first = grid.nodeTo(grid.nodeTo(last));
            List<String> expected = List.of();
            for (Delivery delivery : Delivery.values()) {
                expected = arrives(first, Grid.MONITORING, NOTHING_MORE, delivery);
                assertThat(arrives(first, COALESCE, NOTHING_MORE, delivery)).containsExactlyElementsOf(expected);
            }
            assertThat(joined(first)).as("of 80").isGreaterThan(40);
            for (int[] services : new int[][] {{COALESCE, Grid.COMPRESSION}, {Grid.COMPRESSION, COALESCE}}) {
                double before = joined(first);
                List<String> arrived = arrives(first, services[0], new int[] {services[1]}, Delivery.RAW);
                for (int i = 0; i < arrived.size(); i += 2 * BURST) {
                    assertThat(arrived.subList(i, i + BURST)).isEqualTo(expected.subList(i, i + BURST));
                }
                assertThat(joined(first)).isGreaterThan(before);
            }
            assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
        }
    }

    private static double joined(Node node) {
        Matcher line = JOINED.matcher(new String(Grid.admin(node).bytes("/metrics", 1 << 20), StandardCharsets.UTF_8));
        assertThat(line.find()).isTrue();
        return Double.parseDouble(line.group(1));
    }
}
