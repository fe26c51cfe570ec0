package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed.Traffic;

/**
 * The node beside a multicast's source is away while packets are sent: frozen for a time within everybody's patience, killed for one that
 * makes the nodes of the sites forget the session. Every copy is identical in the end, and little was sent twice.
 */
@Tag("lab")
@Tag("long")
@Timeout(300)
class TheSourcesNodeIsAwayTest {
    private static final Duration FROZEN = Duration.ofSeconds(7);
    private static final Duration KILLED = Duration.ofSeconds(60);
    private static final long OCTETS = 6_000_000;
    /** At 8 Mbit/s nine seconds, more than half of which are left when the node comes back the first time. */
    private static final long MORE_OCTETS = 9_000_000;
    private static final long MANY_OCTETS = 3_000_000_000L;

    private static SitesLab lab;

    @BeforeAll
    static void open() throws Exception {
        lab = new SitesLab(2, 2, false);
    }

    @AfterAll
    static void close() throws IOException {
        if (lab != null) {
            lab.close();
        }
    }

    /** What receivers have is not sent to them again. */
    @AfterEach
    void takeAway() throws IOException {
        for (Host host : lab.testbed().receivers().toList()) {
            try (Stream<Path> files = Files.walk(lab.output(host))) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void frozenForSevenSecondsAndKilledForSixty() throws Exception {
        everyCopyIsIdentical(MORE_OCTETS, "8M");
    }

    @Test
    @Tag("sweep")
    @Timeout(1_200)
    void theSameWhileThreeGigabytesAreSent() throws Exception {
        everyCopyIsIdentical(MANY_OCTETS, "150M");
    }

    private static void everyCopyIsIdentical(long octets, String rate) throws Exception {
        String[] more = {"--patience", "100s"};
        List<LabProcess> processes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            processes.add(lab.receive(i / 2, i % 2, more));
        }
        List<Host> hosts = lab.testbed().receivers().toList();
        Path file = lab.file(octets);
        Traffic before = lab.testbed().traffic();
        List<String> options = new ArrayList<>(List.of("--expect", "4", "--rate", rate));
        options.addAll(List.of(more));
        LabProcess source = lab.startSend(file, options.toArray(String[]::new));
        awaitPackets(lab.output(hosts.get(0)), octets / 5);
        signal("-STOP");
        Thread.sleep(FROZEN.toMillis());
        signal("-CONT");
        awaitPackets(lab.output(hosts.get(0)), octets / 2);
        lab.core().kill();
        Thread.sleep(KILLED.toMillis());
        lab.startCore();
        Duration patience = SitesLab.PATIENCE.plusSeconds(octets / 5_000_000);
        assertThat(source.awaitExit(patience)).as(source.errors()).isEqualTo(ExitCode.DONE);
        Traffic carried = lab.testbed().traffic().minus(before);
        for (int i = 0; i < hosts.size(); i++) {
            assertThat(processes.get(i).awaitExit(patience)).as(processes.get(i).errors()).isEqualTo(ExitCode.DONE);
            assertThat(Files.mismatch(lab.output(hosts.get(i)).resolve("file.bin"), file)).as("the copy of %s", hosts.get(i).name()).isEqualTo(-1);
        }
        JsonNode summary = CommandLineTool.json(source.output());
        double share = (double) carried.fromSource().bytes() / octets;
        // What is under way when it goes away, for the second in which that does not show.
        assertThat(share).as("of the file on the source's link: %s", summary).isLessThan(1.4);
    }

    /** Their nodes are there and speak with them; that is no sign of the source. */
    @Test
    void receiversOfASourceThatIsKilledEndAfterTheirPatience() throws Exception {
        List<LabProcess> processes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            processes.add(lab.receive(i / 2, i % 2, "--patience", "10s"));
        }
        LabProcess source = lab.startSend(lab.file(OCTETS), "--expect", "4", "--rate", "4M");
        for (Host host : lab.testbed().receivers().toList()) {
            awaitPackets(lab.output(host), OCTETS / 10);
        }
        long start = System.nanoTime();
        source.kill();
        for (LabProcess process : processes) {
            assertThat(process.awaitExit(SitesLab.PATIENCE)).as(process.errors()).isEqualTo(ExitCode.UNREACHABLE);
            double seconds = (System.nanoTime() - start) / 1e9;
            assertThat(seconds).as(process.errors()).isBetween(10.0, 15.0);
            assertThat(process.errors()).contains("EE-709 ");
        }
    }

    private static void signal(String signal) {
        Command.run(List.of("kill", signal, Long.toString(lab.core().pid())));
    }

    /** Waits until a receiver has got so many octets. */
    private static void awaitPackets(Path output, long octets) {
        await().atMost(SitesLab.PATIENCE.plusSeconds(octets / 5_000_000)).ignoreExceptions().until(() -> {
            try (Stream<Path> found = Files.find(output, 2, (path, attributes) -> path.endsWith("packets") && attributes.size() >= octets)) {
                return found.findAny().isPresent();
            }
        });
    }
}
