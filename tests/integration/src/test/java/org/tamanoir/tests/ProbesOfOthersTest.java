package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.probe.ProbeService.ProbeSettings;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** A reader and writer of STAMP that follows the RFCs by itself, in both directions, over loopback. */
class ProbesOfOthersTest {
    private static final String TOOL = Path.of("src/test/python/stamp.py").toAbsolutePath().toString();
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Seconds of NTP from 1900 to 1970. */
    private static final double SINCE_1900 = 2_208_988_800.0;

    private final ProbeService node = new ProbeService(new ProbeSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), true, 1000));
    private final String port = Integer.toString(node.reflector().getPort());

    @BeforeAll
    static void python() {
        DebianPackages.require("python3", "python3-minimal");
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aForeignSenderReadsTheAnswers() {
        Command.Result said = Command.run(List.of("python3", TOOL, "send", "127.0.0.1", port, "5"));
        assertThat(said.output().lines()).hasSize(5).allSatisfy(line -> assertThat(line)
                // The answer in AF11 (0x28) as asked; 101110 (EF) arrived behind it; then padding that was understood.
                .endsWith("size 76 ttl 99 tos 40 session 1234 fields 000400042ae000000001000c5a5a5a5a"));
    }

    @Test
    void aSenderOfTwampLightIsAnsweredToo() {
        Command.Result said = Command.run(List.of("python3", TOOL, "light", "127.0.0.1", port));
        assertThat(said.output()).contains("number 0 size 41 ttl 99 tos 184 ");
    }

    @Test
    void aForeignReflectorIsRead() throws Exception {
        try (LabProcess reflector = LabProcess.start("reflector", List.of("python3", TOOL, "reflect", "127.0.0.1"))) {
            int there = Integer.parseInt(reflector.awaitLine("READY", PATIENCE).split(" ")[1]);
            CompletableFuture<Answers> came = new CompletableFuture<>();
            assertThat(node.forService(Runnable::run).send(new Train(new InetSocketAddress("127.0.0.1", there), 46, 20, 120,
                    Duration.ofMillis(2), Duration.ofSeconds(2)), came::complete)).isTrue();
            assertThat(came.get(10, TimeUnit.SECONDS).answers()).hasSize(20).allSatisfy(each -> {
                assertThat(each.arrivedTtl()).isEqualTo(64);
                assertThat(each.arrivedDscp()).as("it knows no class of service").isEqualTo(-1);
                assertThat(each.synchronised()).isFalse();
                // Its error is 2^(20-32) s.
                assertThat(each.errorNanos()).isGreaterThanOrEqualTo(244_140);
                assertThat(each.oneWayNanos()).isBetween(-1_000L, 100_000_000L);
                assertThat(each.roundTripNanos()).isBetween(0L, 100_000_000L);
            });
        }
    }

    /** Wrong: a field that both of our ends put into the same wrong place. */
    @Test
    void scapyReadsWhatANodeSendsAndWhatItAnswers() throws Exception {
        DebianPackages.require("scapy3", "python3-scapy");
        try (DatagramSocket other = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            other.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(node.forService(Runnable::run).send(new Train((InetSocketAddress) other.getLocalSocketAddress(), 46, 1, 120, Duration.ofMillis(2), Duration.ofSeconds(2)), came -> { })).isTrue();
            DatagramPacket probe = new DatagramPacket(new byte[2000], 2000);
            other.receive(probe);
            other.send(new DatagramPacket(probe.getData(), probe.getLength(), node.reflector()));
            DatagramPacket answer = new DatagramPacket(new byte[2000], 2000);
            other.receive(answer);
            String digits = HexFormat.of().formatHex(probe.getData(), 0, probe.getLength()) + "\n" + HexFormat.of().formatHex(answer.getData(), 0, answer.getLength()) + "\n";
            // Debian's own: another Python on the path does not have its packages.
            List<String> said = Command.run(List.of("/usr/bin/python3", TOOL.replace("stamp.py", "stamp_by_scapy.py")), digits, PATIENCE).output().lines().toList();
            Matcher sent = Pattern.compile("probe number (\\d+) time (\\S+) error ([01]/0/\\d+/\\d+) session (\\d+) zeros 0 fields 80:4:b8000000\\+4 80:1:[0-9a-f]{8}\\+36").matcher(said.get(0));
            assertThat(sent.matches()).as(said.get(0)).isTrue();
            Matcher back = Pattern.compile("answer number " + sent.group(1) + " time (\\S+) error [01]/0/\\d+/\\d+ session " + sent.group(4) + " received (\\S+) of " + sent.group(1) + " " + Pattern.quote(sent.group(2) + " " + sent.group(3))
                    + " ttl 64 zeros 00 fields 00:4:b8000000\\+4 00:1:[0-9a-f]{8}\\+36").matcher(said.get(1));
            assertThat(back.matches()).as(said.get(1)).isTrue();
            assertThat(Double.parseDouble(sent.group(2)) - SINCE_1900).isCloseTo(System.currentTimeMillis() / 1000.0, within(60.0));
            assertThat(Double.parseDouble(back.group(2))).isBetween(Double.parseDouble(sent.group(2)), Double.parseDouble(back.group(1)));
            assertThat(said.get(2)).isEqualTo("same True True");
        }
    }
}
