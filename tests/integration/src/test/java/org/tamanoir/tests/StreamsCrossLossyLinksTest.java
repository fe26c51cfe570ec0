package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.EdgeTestbed;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.Loss;

/**
 * The network of the 2003 paper with one packet in a hundred lost on every link, both ways: TCP carries a file through it unchanged, and over
 * UDP the nodes and the receiver count what the links lost. What a kernel threw away because a busy machine let a JVM wait counts as lost on
 * the link before it; what came before a node had opened the stream, and was more than may wait, the node counts.
 */
@Tag("lab")
@Timeout(240)
class StreamsCrossLossyLinksTest {
    private static final double LOSS = 0.01;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TCP_OCTETS = 8_000_000;
    private static final int DATAGRAMS = 5_000;
    private static final int PACKET = 1000;
    /** 1,250 datagrams a second: even a small receive buffer holds what comes during most pauses of the JVM. */
    private static final String UDP_RATE = "10M";
    /** A number that is lost before the first or behind the last that came cannot be known, and the end is sent more than once. */
    private static final int TOLERANCE = 4;
    private static final Pattern MISSING = Pattern.compile("EE-505 (\\d+) datagrams are missing");

    @TempDir
    private Path folder;

    private record Node(Host host, String admin) {
        /** The live stream of a transport with the reports of its services. */
        JsonNode stream(String transport) throws IOException {
            for (JsonNode stream : ask("node", "streams").path("streams")) {
                if (stream.path("transport").asText().equals(transport)) {
                    return ask("node", "streams", stream.path("number").asText());
                }
            }
            throw new AssertionError("no " + transport + " stream is open at " + host.name());
        }

        /** Datagrams that it threw away for want of room. */
        long overflowed() {
            return host.run("curl", "--silent", admin + "/metrics").output().lines()
                    .filter(line -> line.startsWith("tamanoir_datagrams_overflowed_total ")).mapToLong(line -> (long) Double.parseDouble(line.split(" ")[1]))
                    .findFirst().orElseThrow();
        }

        private JsonNode ask(String... command) throws IOException {
            List<String> arguments = new ArrayList<>(List.of(command));
            arguments.addAll(List.of("--node", admin, "--json"));
            return CommandLineTool.json(tamanoir(host, arguments).output());
        }
    }

    @Test
    void aFileArrivesIdenticalOverTcpAndOverUdpTheLossIsCountedWhereItHappens() throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        try (EdgeTestbed testbed = EdgeTestbed.open(LinkOptions.DEFAULT.segments(true))) {
            Host hostA = testbed.nodeA();
            Host hostB = testbed.nodeB();
            InetAddress a = testbed.access().second().ipv4();
            InetAddress b = testbed.backbone().second().ipv4();
            String repository = repository(hostA, testbed.backbone().first().ipv4());
            String[] readyB = node(hostB, b, repository, testbed.delivery().ipv4Subnet() + "=direct");
            String[] readyA = node(hostA, a, repository, testbed.delivery().ipv4Subnet() + "=" + authority(readyB));
            Node nodeA = new Node(hostA, readyA[4]);
            Node nodeB = new Node(hostB, readyB[4]);
            List<Loss> forward = new ArrayList<>();
            for (var link : List.of(testbed.access(), testbed.backbone(), testbed.delivery())) {
                link.first().lose(LOSS);
                forward.add(link.second().lose(LOSS));
            }

            sendOverTcp(testbed, authority(readyA));
            long[] before = forward.stream().mapToLong(loss -> loss.lost().packets()).toArray();
            assertThat(before).as("every link has lost packets of TCP").doesNotContain(0);

            long missing = sendOverUdp(testbed, authority(readyA));
            long[] lost = new long[before.length];
            for (int i = 0; i < lost.length; i++) {
                lost[i] = forward.get(i).lost().packets() - before[i];
                // Binomial with a mean of 50 and a standard deviation of 7.
                assertThat(lost[i]).as("the links lose what they are told to").isBetween(15L, 85L);
            }
            List<Host> ends = List.of(hostA, hostB, testbed.server());
            for (int i = 0; i < lost.length; i++) {
                lost[i] += overflowed(ends.get(i));
            }
            assertThat(counted(nodeA)).as("node A counts the loss of the first link").isCloseTo(lost[0], within((long) TOLERANCE));
            assertThat(counted(nodeB)).as("node B counts that of two links").isCloseTo(lost[0] + lost[1], within((long) TOLERANCE));
            long early = nodeA.overflowed() + nodeB.overflowed();
            assertThat(missing).as("the receiver misses that of three, and what did not wait").isCloseTo(lost[0] + lost[1] + lost[2] + early,
                    within((long) TOLERANCE));
        }
    }

    private void sendOverTcp(EdgeTestbed testbed, String via) throws IOException {
        Path file = TestFile.halfCompressible(folder.resolve("tcp"), TCP_OCTETS);
        Path arrived = folder.resolve("tcp-arrived");
        LabProcess receive = receive(testbed, "--output", arrived.toString());
        Command.Result sent = send(testbed, via, receive, "--service", "monitoring,compression", file.toString());
        assertThat(sent.exit()).as(sent.errors()).isZero();
        assertThat(receive.awaitExit(PATIENCE)).as(receive.errors()).isZero();
        assertThat(TestFile.sha256(arrived)).isEqualTo(TestFile.sha256(file));
    }

    /** @return how many datagrams the receiver misses */
    private long sendOverUdp(EdgeTestbed testbed, String via) throws IOException {
        Path file = TestFile.halfCompressible(folder.resolve("udp"), (long) DATAGRAMS * PACKET);
        LabProcess receive = receive(testbed, "--udp", "--output", folder.resolve("udp-arrived").toString());
        Command.Result sent = send(testbed, via, receive, "--udp", "--sequence", "--service", "monitoring",
                "--packet-size", Integer.toString(PACKET), "--rate", UDP_RATE, file.toString());
        assertThat(sent.exit()).as(sent.errors()).isZero();
        assertThat(receive.awaitExit(PATIENCE)).as("a file with holes is no success").isEqualTo(1);
        Awaitility.await().until(() -> MISSING.matcher(receive.errors()).find());
        Matcher missing = MISSING.matcher(receive.errors());
        assertThat(missing.find()).isTrue();
        assertThat(folder.resolve("udp-arrived")).doesNotExist();
        assertThat(Files.size(folder.resolve("udp-arrived.part"))).isLessThan(Files.size(file));
        return Long.parseLong(missing.group(1));
    }

    /** Datagrams that found a full receive buffer, by {@code /proc/net/snmp}: a line of names and one of numbers for each protocol. */
    private static long overflowed(Host host) {
        List<String[]> udp = host.run("cat", "/proc/net/snmp").output().lines().filter(line -> line.startsWith("Udp: "))
                .map(line -> line.split(" ")).toList();
        return Long.parseLong(udp.get(1)[List.of(udp.get(0)).indexOf("RcvbufErrors")]);
    }

    /** Datagrams that the service monitoring of a node misses. */
    private static long counted(Node node) throws IOException {
        JsonNode sequence = node.stream("udp").path("reports").path("monitoring").path("toDestination").path("sequence");
        assertThat(sequence.path("packets").asLong()).isBetween((long) (DATAGRAMS * 0.9), (long) (DATAGRAMS * 1.2));
        assertThat(sequence.path("reordered").asLong()).isZero();
        return sequence.path("lost").asLong();
    }

    private static LabProcess receive(EdgeTestbed testbed, String... options) {
        List<String> arguments = new ArrayList<>(List.of("receive", "--listen", testbed.delivery().second().ipv4().getHostAddress() + ":0"));
        arguments.addAll(List.of(options));
        return testbed.server().start("receive", CommandLineTool.command(arguments.toArray(String[]::new)));
    }

    private static Command.Result send(EdgeTestbed testbed, String via, LabProcess receive, String... options) {
        List<String> arguments = new ArrayList<>(List.of("send", "--via", via, "--to", receive.awaitLine("READY ", PATIENCE).split(" ")[2]));
        arguments.addAll(List.of(options));
        return tamanoir(testbed.client(), arguments);
    }

    /** The repository of the first site. Bundles are published on its own host, with the token: its address is not loopback's. */
    private String repository(Host host, InetAddress address) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "of this test");
        String url = host.start("repository", CommandLineTool.command("repository", "run", "--listen", address.getHostAddress() + ":0",
                "--data", folder.resolve("repository").toString(), "--token-file", token.toString(), "--development"))
                .awaitLine("READY ", PATIENCE).split(" ")[2];
        Command.Result push = tamanoir(host, List.of("service", "push", "--repository", url, "--token-file", token.toString(),
                Grid.bundle("monitoring").toString(), Grid.bundle("compression").toString()));
        assertThat(push.exit()).as(push.errors()).isZero();
        return url;
    }

    /** @return the words of its line READY */
    private String[] node(Host host, InetAddress listen, String repository, String route) {
        return host.start("node", CommandLineTool.command("node", "run", "--development", "--listen", listen.getHostAddress() + ":0", "--admin", "127.0.0.1:0",
                "--data", folder.resolve(host.name()).toString(), "--repository", repository, "--route", route))
                .awaitLine("READY ", PATIENCE).split(" ");
    }

    private static String authority(String[] ready) {
        return ready[2].substring("anep://".length());
    }

    private static Command.Result tamanoir(Host host, List<String> arguments) {
        return host.tryRun(PATIENCE, CommandLineTool.command(arguments.toArray(String[]::new))
                .toArray(String[]::new));
    }
}
