package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabProcess;

/** Commands on hosts of their own, by way of a node: what every receiver has does not cross the source's link a second time. */
@Tag("lab")
@Timeout(180)
class ASendIsBegunAgainTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SIZE = 6_000_001;
    /** A packet on the wire for each octet of content in it, with beats, announcements and repairs. */
    private static final double WIRE = 1.08;

    private static MulticastLab lab;
    private static Path file;

    @BeforeAll
    static void open() throws Exception {
        lab = MulticastLab.open();
        file = lab.file("file", SIZE);
    }

    @AfterAll
    static void close() throws IOException {
        if (lab != null) {
            lab.close();
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static LabProcess receive(int receiver, InetSocketAddress group) {
        String name = "r" + receiver;
        LabProcess process = lab.receivers.get(receiver).start("receive " + name, CommandLineTool.command("multicast", "receive", "--group", text(group),
                "--via", text(lab.below(false)), "--name", name, "--output", lab.output(name, group).toString(), "--json"));
        return process;
    }

    private static LabProcess send(InetSocketAddress group, Path... files) {
        List<String> command = new ArrayList<>(CommandLineTool.command("multicast", "send", "--group", text(group), "--via",
                text(lab.above(false)), "--expect", "2", "--rate", "10M", "--json"));
        Stream.of(files).map(Path::toString).forEach(command::add);
        return lab.source.start("send", command);
    }

    private static JsonNode end(LabProcess process) throws Exception {
        assertThat(process.awaitExit(PATIENCE)).as(process.errors()).isEqualTo(ExitCode.DONE);
        return CommandLineTool.json(process.output());
    }

    /** The receivers go on running; nobody tells them anything. */
    @Test
    void killedAtHalfItSendsTheOtherHalf() throws Exception {
        lab.loss.forEach(loss -> loss.change(0.02));
        InetSocketAddress group = lab.group(false);
        LabProcess one = receive(0, group);
        LabProcess two = receive(1, group);
        LabProcess killed = send(group, file);
        for (String name : List.of("r0", "r1")) {
            awaitPackets(lab.output(name, group), SIZE / 2);
        }
        killed.kill();
        long before = lab.octetsOfTheSource();

        JsonNode sent = end(send(group, file));

        long octets = lab.octetsOfTheSource() - before;
        lab.loss.forEach(loss -> loss.change(0));
        assertThat(octets).as("octets on the source's link, of which the other half are %d", SIZE / 2).isBetween(SIZE / 4L, (long) (SIZE * 0.62 * WIRE));
        assertThat(sent.path("skipped").asLong()).isGreaterThan(sent.path("packets").asLong() * 4 / 10);
        for (LabProcess receiver : List.of(one, two)) {
            JsonNode received = end(receiver);
            assertThat(received.path("found").asLong()).isGreaterThan(received.path("packets").asLong() * 4 / 10);
            assertThat(receiver.errors()).contains("moving to it");
        }
        for (String name : List.of("r0", "r1")) {
            assertThat(lab.output(name, group).resolve("file")).hasSameBinaryContentAs(file);
            assertThat(lab.output(name, group)).as("nothing is left of the first session").isDirectoryNotContaining("glob:**.tamanoir-*");
        }
    }

    @Test
    void filesThatAreThereAreNotSent() throws Exception {
        InetSocketAddress group = lab.group(false);
        Path small = lab.file("small", 300_000);
        for (String name : List.of("r0", "r1")) {
            Files.copy(file, Files.createDirectories(lab.output(name, group)).resolve("file"));
        }
        Files.copy(small, lab.output("r0", group).resolve("small"));
        LabProcess one = receive(0, group);
        LabProcess two = receive(1, group);
        long before = lab.octetsOfTheSource();

        JsonNode sent = end(send(group, file, small));

        assertThat(lab.octetsOfTheSource() - before).as("octets on the source's link").isLessThan(400_000);
        assertThat(sent.path("sent").asLong()).isLessThan(230);
        assertThat(end(one).path("found").asLong()).isGreaterThan(4_300);
        assertThat(end(two).path("found").asLong()).isBetween(4_200L, 4_300L);
        for (String name : List.of("r0", "r1")) {
            assertThat(lab.output(name, group).resolve("file")).hasSameBinaryContentAs(file);
            assertThat(lab.output(name, group).resolve("small")).hasSameBinaryContentAs(small);
        }
    }

    /** Waits until a part folder has so many octets. */
    private static void awaitPackets(Path output, long octets) {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (Stream<Path> found = Files.find(output, 2, (path, attributes) -> path.endsWith("packets") && attributes.size() >= octets)) {
                return found.findAny().isPresent();
            }
        });
    }
}
