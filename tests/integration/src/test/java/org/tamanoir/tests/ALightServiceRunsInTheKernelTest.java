package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.EdgeTestbed;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.IpPacket;
import org.tamanoir.lab.LabProcess;

/**
 * The service forward, fetched from a repository by the first packet that wants it, on two nodes in a row: the kernel of each carries a UDP
 * stream from its first packets on, and nobody can tell it from the node, but by asking the node.
 */
@Tag("lab")
@Timeout(120)
class ALightServiceRunsInTheKernelTest {
    private static final int DATAGRAMS = 300;
    /** The most that each node sees of a stream before the kernel carries it, if they come one by one. */
    private static final int FIRST = 5;
    private static final int HOPS = 9;
    /** An IPv4 header and one of UDP. */
    private static final int HEADERS = 28;
    private static final int FILE = 400_000;
    private static final long SEED = 20261121;

    @TempDir
    private Path folder;

    /** What two runs must have in common. */
    private record Outcome(List<String> atReceiver, List<String> counters) {
    }

    @BeforeEach
    void needsTheKernel() {
        LightLab.needsKernel();
    }

    @Test
    void twoNodesInARowCarryAStreamInTheKernelAsTheyDoWithoutIt() throws Exception {
        try (EdgeTestbed testbed = EdgeTestbed.open();
                LabRepository repository = new LabRepository(testbed.nodeA(), folder.resolve("repository"), Grid.bundle("forward"))) {
            testbed.forwardPackets();
            Outcome inKernel = run(testbed, "auto", repository.url());
            Outcome inNode = run(testbed, "off", repository.url());
            assertThat(inNode.atReceiver()).as("packets in user space").isEqualTo(inKernel.atReceiver());
            assertThat(inNode.counters()).as("counters in user space").isEqualTo(inKernel.counters());
        }
    }

    private Outcome run(EdgeTestbed testbed, String use, String repository) throws Exception {
        boolean kernel = use.equals("auto");
        LabNode b = node(testbed.nodeB(), use, "routes: {10.0.0.0/16: direct}\nneighbours: ['"
                + testbed.backbone().first().ipv4().getHostAddress() + ":3324']\n");
        LabNode a = node(testbed.nodeA(), use, "routes: {10.0.3.0/24: '" + testbed.backbone().second().ipv4().getHostAddress() + ":3322'}\n"
                + "repositories: ['" + repository + "']\n");
        InetAddress client = testbed.access().first().ipv4();
        InetSocketAddress nodeA = new InetSocketAddress(testbed.access().second().ipv4(), LightLab.PORT);
        Outcome outcome;
        try (UdpPeer sender = new UdpPeer(testbed.client(), client, 0); Capture capture = Capture.at(testbed.server());
                UdpPeer receiver = new UdpPeer(testbed.server(), testbed.delivery().second().ipv4(), 7000)) {
            long octets = 0;
            for (int i = 0; i < DATAGRAMS; i++) {
                byte[] datagram = datagram(i, testbed.delivery().second().ipv4());
                octets += datagram.length;
                sender.send(datagram, nodeA);
                assertThat(Packet.of(Unpooled.wrappedBuffer(receiver.receive())).hops()).as("two nodes took a hop each").isEqualTo(HOPS - 2);
                receiver.send(answer(i));
                assertThat(sender.receive()).isEqualTo(answer(i));
                assertThat(sender.lastSender()).as("who answers").isEqualTo(nodeA);
                if (i == 0 && kernel) {
                    await().atMost(LightLab.PATIENCE).until(() -> flows(a) == 1 && flows(b) == 1);
                }
            }
            for (LabNode node : List.of(a, b)) {
                if (kernel) {
                    assertThat(node.done("forwarded")).as("all but the first").isBetween((long) DATAGRAMS - FIRST, DATAGRAMS - 1L);
                    assertThat(node.done("answered")).isBetween((long) DATAGRAMS - FIRST, DATAGRAMS - 1L);
                    // An answer to the very first may come before anybody has told the kernel of the flow.
                    assertThat(node.up("no-flow") + node.up("no-rule")).as("the first, and their answers").isBetween(1L, 2L * FIRST);
                    String stream = node.get("/streams").path("streams").path(0).path("number").asText();
                    assertThat(node.get("/explain/stream/" + stream).path("runs").asText()).isEqualTo("kernel");
                    assertThat(node.get("/explain/0x5401").path("runs").asText()).isEqualTo("kernel");
                }
            }
            List<String> packets = capture.await(DATAGRAMS, LightLab.PATIENCE, packet -> packet.isTo(7000)).stream()
                    .map(ALightServiceRunsInTheKernelTest::text).toList();
            if (kernel) {
                assertThat(a.tell("explain", "--stream", "1")).startsWith("stream 1 runs on level kernel: the kernel has its flow");
            }
            outcome = new Outcome(packets, List.of(counters(a, octets), counters(b, octets)));
        }
        if (kernel) {
            sendAFile(testbed, nodeA, a);
        }
        a.end();
        b.end();
        return outcome;
    }

    private static String text(IpPacket packet) {
        assertThat(packet.hasGoodChecksum()).as("%s", packet).isTrue();
        return packet.dscp() + " " + HexFormat.of().formatHex(packet.payload());
    }

    private LabNode node(Host host, String use, String more) throws IOException {
        LabNode node = LabNode.start(host, folder.resolve(host.name()), "listen: 0.0.0.0:3322\ncode: 0.0.0.0:3324\n"
                + "limits: {parked-datagrams: 1000}\nkernel: {use: " + use + "}\n" + more);
        return use.equals("off") ? node : node.inKernel();
    }

    private static int flows(LabNode node) {
        return node.kernel().path("flows").asInt();
    }

    /** Of many lengths, up to what fits an Ethernet frame, with what the kernel changes: the hops and the node before. */
    private static byte[] datagram(int sequence, InetAddress destination) {
        Random random = new Random(SEED + sequence);
        byte[] payload = new byte[random.nextInt(1300)];
        random.nextBytes(payload);
        return AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN)
                .options(AnepPeer.to(destination.getHostAddress(), 7000, Delivery.ANEP).stream(42, sequence).hops(HOPS)
                        .previousNode(new PacketOptions.PreviousNode(0x0102030405060708L, 9)).timestamp(1 + sequence))
                .payload(Unpooled.wrappedBuffer(payload)));
    }

    private static byte[] answer(int sequence) {
        byte[] payload = new byte[sequence];
        new Random(sequence).nextBytes(payload);
        return AnepPeer.data(Grid.FORWARD, payload);
    }

    /** What rule, stream, service and node say of all the datagrams, once they agree with what was sent. */
    private static String counters(LabNode node, long octets) {
        List<String> all = new ArrayList<>();
        await().atMost(LightLab.PATIENCE).untilAsserted(() -> {
            all.clear();
            JsonNode rule = node.rule("forward/forward");
            assertThat(rule.path("packets").asLong()).isEqualTo(DATAGRAMS);
            assertThat(rule.path("forwarded").asLong()).isEqualTo(DATAGRAMS);
            assertThat(rule.path("octets").asLong()).as("octets of IP packets").isEqualTo(octets + (long) DATAGRAMS * HEADERS);
            JsonNode stream = node.get("/streams").path("streams").path(0);
            assertThat(stream.path("packetsIn").asLong()).as("packets of %s", stream).isEqualTo(DATAGRAMS);
            assertThat(stream.path("packetsBack").asLong()).isEqualTo(DATAGRAMS);
            JsonNode status = node.status();
            for (JsonNode each : List.of(stream, status)) {
                assertThat(each.path("bytesIn").asLong()).isEqualTo(octets);
                assertThat(each.path("bytesOut").asLong()).isEqualTo(octets);
                for (String counter : List.of("bytesIn", "bytesOut", "packetsBack", "bytesBack", "bytesReturned")) {
                    all.add(counter + " " + each.path(counter));
                }
            }
            assertThat(status.path("packetsIn").asLong()).isEqualTo(DATAGRAMS);
            assertThat(node.errors()).isEmpty();
            all.add(rule.path("packets") + " " + rule.path("octets") + " " + rule.path("forwarded") + " " + rule.path("dropped"));
            all.add("handled " + node.get("/services").path("services").path(0).path("packets"));
        });
        return String.join(", ", all);
    }

    /** The receiver takes no file whose datagrams overtake each other. Slow enough that a busy machine's sockets hold what waits. */
    private void sendAFile(EdgeTestbed testbed, InetSocketAddress via, LabNode node) throws IOException {
        Path file = TestFile.halfCompressible(folder.resolve("file"), FILE);
        Path arrived = folder.resolve("arrived");
        long before = node.done("forwarded");
        LabProcess receive = testbed.server().start("receive", CommandLineTool.command("receive", "--udp", "--listen",
                testbed.delivery().second().ipv4().getHostAddress() + ":0", "--output", arrived.toString()));
        Command.Result sent = testbed.client().tryRun(LightLab.PATIENCE, CommandLineTool.command("send", "--udp", "--via",
                via.getAddress().getHostAddress() + ":3322", "--to", receive.awaitLine("READY ", LightLab.PATIENCE).split(" ")[2], "--service",
                "forward", "--packet-size", "1000", "--rate", "2M", file.toString()).toArray(String[]::new));
        assertThat(sent.exit()).as(sent.errors()).isZero();
        assertThat(receive.awaitExit(LightLab.PATIENCE)).as(receive.errors()).isZero();
        assertThat(TestFile.sha256(arrived)).isEqualTo(TestFile.sha256(file));
        assertThat(node.done("forwarded") - before).as("datagrams that the kernel has carried").isGreaterThan(FILE / 1000 / 4);
    }
}
