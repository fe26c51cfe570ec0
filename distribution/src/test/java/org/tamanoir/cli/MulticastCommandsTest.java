package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.cli.GroupOptions.GroupAddress;
import picocli.CommandLine.TypeConversionException;

/** {@code multicast send} and {@code multicast receive} on a group of the loopback interface. */
class MulticastCommandsTest {
    /** Ports that the kernel gives to nobody who asks for any. */
    private static final AtomicInteger PORT = new AtomicInteger(10_000 + (int) (ProcessHandle.current().pid() % 7_000) * 3 + 1);

    @TempDir
    private Path folder;
    private final String group = "239.255.78.1:" + PORT.getAndAdd(3);

    private Path file(String name, int size) throws Exception {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return Files.write(folder.resolve(name), octets);
    }

    private String[] receive(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of("multicast", "receive", "--group", group, "--interface", "lo", "--name", name, "--output",
                folder.resolve("out-" + name).toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private String[] send(String... more) {
        List<String> arguments = new ArrayList<>(List.of("multicast", "send", "--group", group, "--interface", "lo"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static Launched ready(Launched receiver) throws InterruptedException {
        receiver.ready();
        return receiver;
    }

    @Test
    @Tag("long")
    void filesArriveAndEveryReceiverIsNamed() throws Exception {
        Path tree = Files.createDirectory(folder.resolve("tree"));
        Path one = file("tree/one", 700_000);
        Path two = file("two", 1);
        Path secret = Files.writeString(folder.resolve("secret"), "between us\n");
        Path names = Files.writeString(folder.resolve("names"), "# the sites\nlyon\n\nberlin\n");
        Launched lyon = ready(Launched.here(receive("lyon", "--secret", secret.toString(), "--json")));
        Launched berlin = ready(Launched.here(receive("berlin", "--secret", secret.toString())));
        assertThat(berlin.out()).isEqualTo("READY group " + group + " name berlin\n");
        Launched send = Launched.here(send("--members", names.toString(), "--secret", secret.toString(), "--rate", "50M", "--json", "--services",
                "detect@source,aggregate,subcast", tree.toString(), two.toString()));
        assertThat(send.exit()).as(send.err()).isEqualTo(ExitCode.DONE);
        assertThat(lyon.exit()).as(lyon.err()).isEqualTo(ExitCode.DONE);
        assertThat(berlin.exit()).as(berlin.err()).isEqualTo(ExitCode.DONE);
        for (String name : List.of("lyon", "berlin")) {
            assertThat(folder.resolve("out-" + name).resolve("tree/one")).hasSameBinaryContentAs(one);
            assertThat(folder.resolve("out-" + name).resolve("two")).hasSameBinaryContentAs(two);
        }
        JsonNode summary = new ObjectMapper().readTree(send.out());
        assertThat(summary.get("octets").asInt()).isEqualTo(700_001);
        assertThat(summary.get("files").asInt()).isEqualTo(2);
        assertThat(summary.get("services").asText()).isEqualTo("aggregate,subcast,detect@source");
        assertThat(summary.get("seconds").asDouble()).isBetween(700_001 * 8 / 50e6, 20.0);
        assertThat(summary.get("members")).hasSize(2).allSatisfy(member -> {
            assertThat(member.get("state").asText()).isEqualTo("complete");
            assertThat(member.get("percent").asInt()).isEqualTo(100);
            assertThat(member.get("code").isNull()).isTrue();
            assertThat(member.get("wrongRepairs").asBoolean()).isFalse();
        });
        JsonNode received = new ObjectMapper().readTree(lyon.out());
        assertThat(received.get("session")).isEqualTo(summary.get("session"));
        assertThat(received.get("files")).hasSize(2);
        assertThat(berlin.out()).contains("2 files, 700001 octets, in '" + folder.resolve("out-berlin") + "'");
        assertThat(send.err() + berlin.err() + lyon.err().replaceFirst("READY.*", "")).as("silence in a pipe").isBlank();
    }

    @Test
    @Tag("long")
    void standardInputArrivesUnderItsName() throws Exception {
        Path file = file("file", 700_001);
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Launched receive = ready(Launched.here(receive("berlin")));
        ProcessBuilder command = Launched.process(send("--expect", "1", "--rate", "50M", "--name", "what came", file.toString(), "-"));
        command.environment().put("TMPDIR", temporary.toString());
        Process send = command.redirectError(ProcessBuilder.Redirect.PIPE).start();
        try (OutputStream in = send.getOutputStream()) {
            in.write(Files.readAllBytes(file), 0, 300_000);
            in.flush();
            Thread.sleep(100);
            in.write(Files.readAllBytes(file), 300_000, 400_001);
        }
        assertThat(send.waitFor()).as(text(send.errorReader())).isEqualTo(ExitCode.DONE);
        assertThat(receive.exit()).as(receive.err()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("out-berlin/what came")).hasSameBinaryContentAs(file);
        assertThat(folder.resolve("out-berlin/file")).hasSameBinaryContentAs(file);
        assertThat(temporary).as("nothing is left").isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void whoIsNotExpectedOrHasATakenNameIsRefusedAndAMissingReceiverFailsTheSource() throws Exception {
        Path file = file("file", 500_000);
        Launched berlin = ready(Launched.here(receive("berlin")));
        Launched lyon = ready(Launched.here(receive("lyon")));
        Path names = Files.writeString(folder.resolve("names"), "berlin\nparis\n");
        Launched send = Launched.here(send("--members", names.toString(), "--rate", "20M", "--wait", "2s", "--patience", "500ms", file.toString()));
        awaitPackets(folder.resolve("out-berlin"), 0);
        Launched other = Launched.here("multicast", "receive", "--group", group, "--interface", "lo", "--name", "berlin", "--output",
                folder.resolve("other").toString());
        assertThat(lyon.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(lyon.err()).startsWith("EE-702 ");
        assertThat(other.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(other.err()).startsWith("EE-703 ");
        assertThat(send.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(send.err()).contains("EE-710 'paris' is not complete: expected", "EE-710 1 of 2 receivers have everything").doesNotContain("berlin");
        assertThat(send.out()).startsWith("1 of 2 receivers have 1 file, 500000 octets");
        assertThat(berlin.exit()).as(berlin.err()).isEqualTo(ExitCode.DONE);
    }

    @Test
    @Tag("long")
    void aSourceThatIsStoppedTellsItsReceiversAndBothSayWhatIsKept() throws Exception {
        Launched receive = ready(Launched.here(receive("berlin", "--patience", "1m")));
        Process send = Launched.process(send("--expect", "1", "--rate", "5M", file("file", 5_000_000).toString()))
                .redirectError(ProcessBuilder.Redirect.PIPE).start();
        Path output = folder.resolve("out-berlin");
        awaitPackets(output, 100_000);
        send.toHandle().destroy();
        assertThat(send.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(send.exitValue()).isEqualTo(ExitCode.FAILED);
        assertThat(text(send.errorReader())).contains("stopped: the receivers were told", "'berlin' is not complete", "EE-710");
        assertThat(receive.exit()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(receive.err()).startsWith("EE-701 ").contains("packets are kept in '" + output.resolve(".tamanoir-"));
    }

    @Test
    @Tag("long")
    void aReceiverThatIsStoppedSaysGoodByeAndGoesOnWhenItIsStartedAgain() throws Exception {
        Path file = file("file", 3_000_000);
        Process receive = Launched.process(receive("berlin")).redirectError(ProcessBuilder.Redirect.PIPE).start();
        Launched.ready(receive.inputReader());
        Launched send = Launched.here(send("--expect", "1", "--rate", "10M", "--json", file.toString()));
        awaitPackets(folder.resolve("out-berlin"), 100_000);
        receive.toHandle().destroy();
        assertThat(receive.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(receive.exitValue()).isEqualTo(ExitCode.FAILED);
        assertThat(text(receive.errorReader())).contains("stopped: the source was told", "packets are kept in");
        Launched again = Launched.here(receive("berlin", "--json"));
        assertThat(again.exit()).as(again.err()).isEqualTo(ExitCode.DONE);
        assertThat(send.exit()).as(send.err()).isEqualTo(ExitCode.DONE);
        assertThat(again.err()).contains("going on with session");
        assertThat(folder.resolve("out-berlin/file")).hasSameBinaryContentAs(file);
    }

    @Test
    @Tag("long")
    void aSourceThatDiesIsLostAfterTheReceiversPatience() throws Exception {
        Launched receive = ready(Launched.here(receive("berlin", "--patience", "1s")));
        Process send = Launched.process(send("--expect", "1", "--rate", "2M", file("file", 5_000_000).toString())).start();
        awaitPackets(folder.resolve("out-berlin"), 10_000);
        send.toHandle().destroyForcibly();
        assertThat(receive.exit()).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(receive.err()).startsWith("EE-709 nothing was heard of the source for 1.0 s, which was heard from ").contains("packets are kept in");

        // Started again, when there is no session any more.
        Launched again = Launched.here(receive("berlin", "--wait", "6s"));
        assertThat(again.exit()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(again.err()).contains("a part of session", "is not announced: it has ended", "EE-701 no session was announced").doesNotContain("going on with");

        // Another session is taken, and said to be another.
        Launched other = ready(Launched.here(receive("berlin", "--wait", "30s")));
        assertThat(Launched.here(send("--expect", "1", "--rate", "50M", file("other", 1_000).toString())).exit()).isEqualTo(ExitCode.DONE);
        assertThat(other.exit()).as(other.err()).isEqualTo(ExitCode.DONE);
        assertThat(other.err()).contains("is another one; the part of").doesNotContain("going on with");
    }

    @Test
    @Tag("long")
    void aReceiverThatIsKilledIsLostAndTheSourceSaysWhoIsSilent() throws Exception {
        Process receive = Launched.process(receive("berlin")).start();
        Launched.ready(receive.inputReader());
        Launched send = Launched.here(send("--expect", "1", "--rate", "2M", "--patience", "1s", "--json", file("file", 5_000_000).toString()));
        awaitPackets(folder.resolve("out-berlin"), 10_000);
        receive.toHandle().destroyForcibly();
        assertThat(send.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(send.err()).containsPattern("EE-707 'berlin' is not complete: lost, \\d+ % of the packets; [0-9.]+:\\d+ is silent");
        assertThat(new ObjectMapper().readTree(send.out()).at("/members/0/silent").asText()).matches("[0-9.]+:\\d+");
    }

    @Test
    @Tag("long")
    void aNodeFromWhichNothingComesIsNamedAfterFiveSeconds() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            String via = "127.0.0.1:" + silent.getLocalPort();
            Process receive = Launched.process(receive("berlin", "--via", via)).redirectError(ProcessBuilder.Redirect.PIPE).start();
            Launched send = Launched.here(send("--via", via, "--expect", "1", "--rate", "1M", "--wait", "1s", file("file", 1).toString()));
            assertThat(send.exit()).isEqualTo(ExitCode.FAILED);
            assertThat(send.err()).contains("EE-606 nothing has come from node " + via);
            assertThat(receive.errorReader().readLine()).startsWith("EE-606 nothing has come from node " + via);
            receive.destroy();
            assertThat(receive.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Waits until a part folder has so many octets of packets. */
    private static void awaitPackets(Path output, int octets) throws Exception {
        for (int i = 0; i < 2000; i++) {
            Thread.sleep(10);
            if (Files.isDirectory(output)) {
                try (var found = Files.find(output, 2, (path, attributes) -> path.endsWith("packets") && attributes.size() >= octets)) {
                    if (found.findAny().isPresent()) {
                        return;
                    }
                }
            }
        }
        throw new AssertionError("no packets came");
    }

    private static String text(BufferedReader reader) {
        return reader.lines().collect(Collectors.joining("\n"));
    }

    @Test
    @Tag("long")
    void whatMakesNoSenseIsAMistakeInItsUse() throws Exception {
        String file = file("file", 1).toString();
        for (String[] wrong : new String[][] {send("--rate", "1M", file), send("--expect", "1", file), send("--expect", "0", "--rate", "1M", file),
            send("--expect", "1", "--rate", "0", file), send("--expect", "1", "--members", file, "--rate", "1M", file),
            send("--expect", "1", "--rate", "1M", "--min-rate", "2M", file), send("--expect", "1", "--rate", "1M", "--packet-size", "70000", file),
            send("--expect", "1", "--rate", "1M", "--services", "detect,caching", file),
            send("--expect", "1", "--rate", "1M"), receive("a\u0001"), send("--expect", "1", "--rate", "1M", "-"),
            send("--expect", "1", "--rate", "1M", "--name", "a", file), send("--expect", "1", "--rate", "1M", "--name", "a", "-", "-"),
            send("--expect", "1", "--rate", "1M", "--name", "a/b", "-"), send("--expect", "1", "--rate", "1M", "--name", "..", "-")}) {
            Launched launched = Launched.here(wrong);
            assertThat(launched.exit()).as(String.join(" ", wrong)).isEqualTo(ExitCode.USAGE);
            assertThat(launched.err()).doesNotContain("\tat ");
        }
        assertThat(Launched.here(send("--expect", "1", "--rate", "1M", folder.resolve("no").toString())).exit()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "239.1.2.3:0", "239.1.2.3:70000", "10.0.0.1:5405", "ff15::1", "[ff15::1", "[fe80::1]:1", "localhost:5405", "239.1.2:1"})
    void whatIsNoGroupIsNotTakenForOne(String text) {
        assertThatThrownBy(() -> new GroupAddress().convert(text)).isInstanceOf(TypeConversionException.class).hasMessageContaining("239.1.2.3");
    }

    @Test
    void aGroupHasAPort() {
        assertThat(new GroupAddress().convert("239.1.2.3").getPort()).isEqualTo(5405);
        assertThat(new GroupAddress().convert("[ff15::1]:77")).hasToString("/[ff15:0:0:0:0:0:0:1]:77");
    }
}
