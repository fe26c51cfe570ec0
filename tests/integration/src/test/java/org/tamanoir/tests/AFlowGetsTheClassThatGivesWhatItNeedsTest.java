package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.IpPacket;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Stubborn;

/** QoSinus between two sites, with real nodes, a real DiffServ domain of the kernel and real congestion (active grid paper, section 4.1). */
@Tag("long")
class AFlowGetsTheClassThatGivesWhatItNeedsTest {
    private static final String SERVICES = """
            services:
              qosinus: {ef: 30mbit, af-tcp: 30mbit, af-udp: 20mbit, period: 500ms%s}
              qos-monitoring: {period: 500ms}
            """;
    private static final String OPTIONS = services(", be-dscp: '5', lbe-dscp: '5'");
    private static QosLab lab;

    @BeforeAll
    static void open() throws Exception {
        LightLab.needsKernel();
        lab = new QosLab(OPTIONS, OPTIONS);
    }

    @AfterAll
    static void close() {
        if (lab != null) {
            lab.close();
        }
    }

    private static String services(String more) {
        return SERVICES.formatted(more);
    }

    private LabProcess receiver(Path output, String... more) {
        List<String> arguments = new java.util.ArrayList<>(List.of("receive", "--listen", lab.to(7000), "--count", "1", "--output",
                output.toString()));
        arguments.addAll(List.of(more));
        LabProcess receiver = lab.start(lab.testbed().receiver(1), "receive", arguments.toArray(String[]::new));
        receiver.awaitLine("READY ", QosLab.PATIENCE);
        return receiver;
    }

    private void awaitClass(String code, String className, Duration patience) {
        await().atMost(patience).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> assertThat(lab.session(code).path("class").asText())
                .as("%s", lab.session(code)).isEqualTo(className));
    }

    @Test
    void itLeavesBestEffortWhenThatIsCongestedAndComesBackWhenItIsNot() throws Exception {
        Path file = TestFile.halfCompressible(lab.directory().resolve("file.bin"), 12_000_000);
        Path received = lab.directory().resolve("received1.bin");
        LabProcess receiver = receiver(received);
        String code = lab.open("maxDelayMs=10,traffic=1000000");
        // The cheapest class does while nobody else is there.
        LabProcess sender = lab.start(lab.testbed().sender(1), "send", "send", "--via", lab.via(), "--to", lab.to(7000), "--session", code,
                "--packet-size", "8000", "--rate", "7M", file.toString());
        await().atMost(QosLab.PATIENCE).untilAsserted(() -> assertThat(lab.session(code).path("state").asText()).as("%s", lab.session(code))
                .isEqualTo("met"));
        awaitClass(code, "LBE", QosLab.PATIENCE);

        Flows.Flow flood = lab.flood(6);
        awaitClass(code, "AF-TCP", Duration.ofSeconds(6));
        assertThat(lab.session(code).path("allocated").asLong()).isEqualTo(1_000_000);
        // In one period the full queue may take every probe, and then there is no time to tell.
        await().atMost(Duration.ofSeconds(4)).until(() -> lab.session(code).path("samples").path("BE").path("rttMs").asDouble() > 10);
        flood.sent();
        awaitClass(code, "LBE", Duration.ofSeconds(20));

        assertThat(sender.awaitExit(QosLab.PATIENCE)).as(sender.errors()).isZero();
        assertThat(receiver.awaitExit(QosLab.PATIENCE)).as(receiver.errors()).isZero();
        assertThat(Files.mismatch(file, received)).isEqualTo(-1);
        String told = lab.run(lab.testbed().ingress(), "qos", "explain", "--node", lab.ingress().admin(), code);
        // By way of BE if a probe said that it would do, when the flood had filled LBE alone; the newest stands first.
        assertThat(told).containsPattern("LBE -> AF-TCP|(?s: BE -> AF-TCP: .*LBE -> BE: BE: left LBE: this one meets every objective)").contains("AF-TCP -> LBE").contains("maxDelayMs");
    }

    /** Wrong: a file that stays where best effort is full and is late; one whose deadline nobody looks at; an end that is not told. */
    @Test
    void aFileThatHasToBeThereInTimeGetsTheClassInWhichItIs() throws Exception {
        Path file = TestFile.halfCompressible(lab.directory().resolve("timed.bin"), 8_000_000);
        Path received = lab.directory().resolve("timed-received.bin");
        LabProcess receiver = receiver(received);
        String code = lab.open("size=8000000,within=10s");
        // Best effort is full from before its first packet until after its last.
        Flows.Flow flood = lab.flood(20);
        LabProcess sender = lab.start(lab.testbed().sender(1), "send", "send", "--via", lab.via(), "--to", lab.to(7000), "--session", code, file.toString());
        awaitClass(code, "AF-TCP", Duration.ofSeconds(8));
        assertThat(lab.session(code).path("allocated").asLong()).as("what is left by the time that is left").isBetween(700_000L, 3_750_000L);
        assertThat(sender.awaitExit(QosLab.PATIENCE)).as(sender.errors()).isZero();
        flood.end();
        assertThat(receiver.awaitExit(QosLab.PATIENCE)).as(receiver.errors()).isZero();
        assertThat(Files.mismatch(file, received)).isEqualTo(-1);
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(lab.run(lab.testbed().ingress(), "qos", "explain", "--node", lab.ingress().admin(), code))
                .contains("octets are to be there by").contains("in time, "));
    }

    /**
     * An answer of 1 MB to a request of a few octets, in a session for one direction and in one for both. Wrong: a node that marks what it sends on alone, or
     * one that measures the way back nowhere.
     */
    @Test
    void whatComesBackIsMarkedTooIfTheSessionIsForBothDirections() throws Exception {
        assertThat(marksOfAnAnswer(lab.open("delay=low,traffic=2000000"))).as("best effort of nobody's session").containsExactly(0);
        String code = lab.open("delay=low,traffic=2000000,directions=both");
        assertThat(marksOfAnAnswer(code)).containsExactly(5);
        JsonNode back = lab.egress().get("/services/qosinus/inspect/session?code=" + code).path("back");
        assertThat(back.path("segment").asText()).as("%s", back).startsWith(lab.ingress().get("/status").path("node").asText() + " by");
        assertThat(back.path("counted").path("octets").asLong()).isGreaterThan(1_000_000);
        assertThat(lab.run(lab.testbed().egress(), "qos", "explain", "--node", lab.egress().admin(), code)).contains("on the way back");
    }

    /** The code points with which the answer to an ordinary program, behind a gateway, crosses the link between the nodes. */
    private Set<Integer> marksOfAnAnswer(String code) throws Exception {
        byte[] answer = new byte[1_000_000];
        LabProcess gateway = lab.start(lab.testbed().sender(1), "gateway", "gateway", "--listen", "127.0.0.1:8080", "--via", lab.via(), "--to", lab.to(7000), "--session", code,
                "--check", "0");
        gateway.awaitLine("READY ", QosLab.PATIENCE);
        try (ServerSocket server = lab.testbed().receiver(1).inside(() -> new ServerSocket(7000)); Capture capture = Capture.at(lab.testbed().ingress());
                Socket program = lab.testbed().sender(1).inside(() -> new Socket("127.0.0.1", 8080))) {
            program.getOutputStream().write("ask".getBytes(StandardCharsets.US_ASCII));
            try (Socket asked = server.accept()) {
                assertThat(asked.getInputStream().readNBytes(3)).hasSize(3);
                asked.getOutputStream().write(answer);
                asked.shutdownOutput();
                program.setSoTimeout((int) QosLab.PATIENCE.toMillis());
                assertThat(program.getInputStream().readAllBytes()).isEqualTo(answer);
            }
            return capture.packets(packet -> packet.protocol() == IpPacket.TCP && packet.source().getPort() == QosLab.PORT && packet.payload().length > 500)
                    .stream().map(IpPacket::dscp).collect(Collectors.toSet());
        } finally {
            gateway.end();
        }
    }

    @Test
    void theKernelAndTheSocketMarkTheSameAndARestartKeepsSessions() throws Exception {
        lab.ingress().inKernel();
        String code = lab.open("--udp", "maxLossPct=50,traffic=2000000");
        Set<Integer> kernel = marks(code);
        assertThat(lab.session(code).path("marked").asText()).isEqualTo("by a rule");
        assertThat(lab.ingress().done("forwarded")).as(lab.ingress().kernelCounters()).isGreaterThan(100);

        lab.ingress().kill();
        lab.startIngress(OPTIONS + "kernel: {use: 'off'}\n");
        Set<Integer> node = marks(code);

        assertThat(kernel).as("code points on the wire by the kernel").containsExactly(5);
        assertThat(node).as("by the node").isEqualTo(kernel);
        assertThat(lab.session(code).path("counted").path("packets").asLong()).isGreaterThan(100);
        lab.ingress().end();
        lab.startIngress(OPTIONS);
    }

    /** The code points with which datagrams of a session cross the bottleneck. */
    private Set<Integer> marks(String code) throws Exception {
        // Somebody must listen, or its host says so.
        try (Capture capture = Capture.at(lab.testbed().egress());
                DatagramSocket listening = lab.testbed().receiver(1).inside(() -> new DatagramSocket(7000))) {
            assertThat(listening.isBound()).isTrue();
            Path file = TestFile.halfCompressible(lab.directory().resolve("datagrams.bin"), 400_000);
            lab.run(lab.testbed().sender(1), "send", "--via", lab.via(), "--to", lab.to(7000), "--udp", "--session", code, "--rate", "2M",
                    file.toString());
            List<IpPacket> packets = capture.packets(packet -> packet.protocol() == IpPacket.UDP && packet.destination().getPort() == QosLab.PORT
                    && packet.payload().length > 500);
            assertThat(packets.size()).isGreaterThan(250);
            return packets.stream().map(packet -> packet.trafficClass() >> 2).collect(Collectors.toSet());
        }
    }

    /**
     * Wrong: a copy whose octets go against the direction that is marked; one that takes a better class from others although it is fast enough; a promise that
     * nothing is done for.
     */
    @Test
    @Tag("sweep")
    void aCopyGoesInTheCheapestClassUntilItsPromiseIsInDanger() throws Exception {
        Path here = Files.createDirectories(lab.directory().resolve("here"));
        Path there = Files.createDirectories(lab.directory().resolve("there"));
        TestFile.halfCompressible(here.resolve("file"), 30_000_000);
        List<LabProcess> movers = List.of(
                lab.start(lab.testbed().sender(1), "source", "mover", "run", "--open", "--read-only", "--listen", lab.from(3335), "--root", here.toString()),
                lab.start(lab.testbed().receiver(1), "destination", "mover", "run", "--open", "--listen", lab.to(3335), "--root", there.toString()),
                lab.start(lab.testbed().sender(1), "queue", "transfer", "run", "--data", lab.directory().resolve("queue").toString()));
        movers.forEach(one -> one.awaitLine("READY ", QosLab.PATIENCE));
        // Has the nodes fetch QoSinus, if nobody has before.
        lab.open("traffic=1000");
        Set<String> before = lab.sessions();
        Flows.Flow flood = lab.flood(60);
        lab.run(lab.testbed().sender(1), "transfer", "submit", "--via", lab.via(), "--service", "qosinus", "--rate", "20M", "tam://" + lab.from(3335) + "/file",
                "tam://" + lab.to(3335) + "/file");

        await().atMost(QosLab.PATIENCE).until(() -> !before.containsAll(lab.sessions()));
        String code = lab.sessions().stream().filter(each -> !before.contains(each)).findFirst().orElseThrow();
        awaitClass(code, "LBE", QosLab.PATIENCE);
        await().atMost(QosLab.PATIENCE).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            JsonNode session = lab.session(code);
            assertThat(session.path("level").path("objectives").path("minRateMbps").asDouble()).as("%s", session).isEqualTo(23);
            // Of those with a guarantee; which of them is a matter of what was measured last.
            assertThat(session.path("class").asText()).as("%s", session).isIn("AF-TCP", "EF");
        });
        flood.end();
        await().atMost(QosLab.PATIENCE).until(() -> Files.exists(there.resolve("file")));
        assertThat(Files.mismatch(here.resolve("file"), there.resolve("file"))).isEqualTo(-1);
        await().atMost(QosLab.PATIENCE).untilAsserted(() -> assertThat(lab.sessions()).as("the session is released").doesNotContain(code));
        movers.forEach(LabProcess::end);
    }

    @Test
    void theDecisionIsReplacedWhileAFlowRuns() throws Exception {
        Path file = TestFile.halfCompressible(lab.directory().resolve("file.bin"), 6_000_000);
        Path received = lab.directory().resolve("received2.bin");
        LabProcess receiver = receiver(received);
        String code = lab.open("maxDelayMs=10,traffic=1000000");
        LabProcess sender = lab.start(lab.testbed().sender(1), "send", "send", "--via", lab.via(), "--to", lab.to(7000), "--session", code,
                "--packet-size", "8000", "--rate", "7M", file.toString());
        awaitClass(code, "LBE", QosLab.PATIENCE);

        Path bundle = new ServiceBundle("qos-decision", 0x5408, "middle", Stubborn.class).version("9.0.0").header("Import-Package",
                "org.tamanoir.service,org.tamanoir.service.qos,org.tamanoir.anep").in(lab.directory());
        lab.run(lab.testbed().ingress(), "service", "deploy", "--node", lab.ingress().admin(), bundle.toString());
        awaitClass(code, "EF", Duration.ofSeconds(5));

        assertThat(lab.session(code).path("reason").asText()).isEqualTo("it is stubborn");
        assertThat(lab.session(code).path("partners").path("qos-decision").asText()).isEqualTo("9.0.0");
        assertThat(sender.awaitExit(QosLab.PATIENCE)).as(sender.errors()).isZero();
        assertThat(receiver.awaitExit(QosLab.PATIENCE)).as(receiver.errors()).isZero();
        assertThat(Files.mismatch(file, received)).as("octets of the flow").isEqualTo(-1);
        assertThat(lab.ingress().sum("tamanoir_qosinus_partner_failed_total")).isZero();
        lab.run(lab.testbed().ingress(), "service", "undeploy", "--node", lab.ingress().admin(), "qos-decision", "--version", "9.0.0");
    }

    @Test
    void whatMakesNoSenseIsToldAndNobodyElseIsDisturbed() throws Exception {
        Command.Result bad = lab.tryRun(lab.testbed().sender(1), "qos", "open", "--via", lab.via(), "--to", lab.to(7000), "maxDelayMs=-3");
        assertThat(bad.exit()).isEqualTo(2);
        assertThat(bad.errors()).contains("EE-801").contains("objectives.maxDelayMs is -3");
        Command.Result unknown = lab.tryRun(lab.testbed().sender(1), "qos", "release", "--via", lab.via(), "--to", lab.to(7000), "abcd");
        assertThat(unknown.exit()).isEqualTo(3);
        assertThat(unknown.errors()).contains("EE-802");

        Path file = TestFile.halfCompressible(lab.directory().resolve("file.bin"), 500_000);
        Path received = lab.directory().resolve("received3.bin");
        LabProcess receiver = receiver(received);
        lab.run(lab.testbed().sender(1), "send", "--via", lab.via(), "--to", lab.to(7000), "--session", "4711", file.toString());
        assertThat(receiver.awaitExit(QosLab.PATIENCE)).as(receiver.errors()).isZero();
        assertThat(Files.mismatch(file, received)).as("a stream with a code that nobody knows").isEqualTo(-1);
        assertThat(lab.ingress().sum("tamanoir_qosinus_unknown_packets_total")).isPositive();
        String shown = lab.run(lab.testbed().ingress(), "qos", "show", "--node", lab.ingress().admin());
        assertThat(shown).contains("EF").contains("30.0 Mbit/s").contains("qos-enforcement 0.1.0");
    }
}
