package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of {@code host tune run}, and what the rules would reach. Nothing here changes anything. */
class HostTuneTest {
    @TempDir
    private Path directory;

    private static Launched run(String... arguments) throws Exception {
        Launched launched = Launched.here(arguments);
        launched.exit();
        return launched;
    }

    private Launched dryRun(String yaml) throws Exception {
        Path file = Files.writeString(directory.resolve("tune.yaml"), yaml);
        return run("host", "tune", "run", "--dry-run", "--rules", file.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rules: [{name: a, remote: 10.2.0.0/16, preset: wad-2003}] | EE-621 | 'allow' has nothing | 4",
        "rules: [{name: a, remote: 10.3.0.0/16, preset: wad-2003}] | EE-621 | only 10.2.0.0/16 | 4",
        "rules: [{name: a, preset: wad-2003}] | EE-501 | everything: true | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, preset: wad-2004}] | EE-501 | none of [wad-2003] | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, preset: wad-2003, ai: 2}] | EE-501 | stands in place of | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, ai: 4}] | EE-501 | md: it is missing | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, ai: 4, md: 0.9875}] | EE-501 | 0.0125 keeps 0.9875 | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: bbr, ai: 4, md: 0.5}] | EE-501 | bbr goes by what it measures | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: nonesuch}] | EE-605 | modprobe tcp_nonesuch | 1",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: reno, pacing: fast}] | EE-501 | is no rate | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: reno}, {name: b, remote: 10.2.1.0/24, congestion: reno}] | EE-501 | can never apply | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: cubic, marking: bulk}] | EE-501 | it needs 'congestion: wad' | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, marking: slow}] | EE-501 | neither message nor bulk | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, marking: bulk, class: 7}] | EE-501 | from 1, the quickest, to 6 | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, marking: message, class: 2}] | EE-501 | a message begins in class 1 | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, congestion: wad, marking: bulk, code-points: [3, 64]}] | EE-501 | from 0 to 63 | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, preset: wad-2003, class: 2}] | EE-501 | the rule has none | 2",
        "rules: [{name: a, remote: 10.2.0.0/16, speed: 1}] | EE-501 | there is no such key | 2",
        "poll: 5s | EE-501 | 10ms to 1s | 2",
        "flows: 0 | EE-501 | 1 to 200000 | 2", "allow: [10.0.0.0/8, null] | EE-501 | a prefix is empty | 2", "rules: [null] | EE-501 | says nothing | 2",
        "rules: [] | EE-501 | there is none | 2"})
    @Tag("long")
    void aFileThatMakesNoSenseIsRefusedWithWhatToDo(String yaml, String code, String says, int exit) throws Exception {
        Launched refused = dryRun((says.contains("has nothing") ? "" : "allow: 10.2.0.0/16\n") + yaml + "\n");
        assertThat(refused.exit()).as(refused.err()).isEqualTo(exit);
        assertThat(refused.err()).startsWith(code).contains(says).doesNotContain("\tat ");
        assertThat(refused.out()).isEmpty();
    }

    @Test
    void aDryRunSaysWhichOpenFlowsWouldBeReached() throws Exception {
        InetAddress here = InetAddress.getByAddress(new byte[] {127, 9, 0, 7});
        try (ServerSocket server = new ServerSocket(0, 1, here); Socket client = new Socket(here, server.getLocalPort()); Socket accepted = server.accept()) {
            Launched found = dryRun("allow: 127.9.0.0/16\nrules:\n  - {name: loop, remote: 127.9.0.0/16, remote-ports: '" + server.getLocalPort() + "', preset: wad-2003}\n");
            assertThat(found.exit()).as(found.err()).isZero();
            assertThat(found.out()).contains("127.9.0.7:" + server.getLocalPort(), "loop", "wad (ai 4, md 0.0125, max-ssthresh 200)", "1 of ");
            assertThat(accepted.isConnected() && client.isConnected()).isTrue();
        }
        assertThat(dryRun("allow: 127.9.0.0/16\nrules:\n  - {remote: 127.9.0.0/16, congestion: reno}\n").out()).startsWith("0 of ");
        try (ServerSocket server = new ServerSocket(0, 1, here); Socket client = new Socket(here, server.getLocalPort())) {
            assertThat(dryRun("allow: 127.9.0.0/16\nrules:\n  - {remote: 127.9.0.0/16, congestion: wad, marking: bulk}\n").out())
                    .contains(":" + client.getLocalPort(), "wad (ai 1, md 0.5, max-ssthresh 0), LM-TP from class 3 of 6");
        }
    }

    @Test
    void whatWasTriedIsToldWithItsWarning() throws Exception {
        Launched told = run("host", "tune", "presets");
        assertThat(told.out()).contains("wad-2003", "ai 4", "md 0.0125", "14.6 times", "friendliness");
    }

    @Test
    void noReportsAreNoRun() throws Exception {
        assertThat(run("host", "tune", "run", "--rules", "none.yaml", "--count", "0").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run("host", "tune", "run", "--rules", "none.yaml").err()).startsWith("EE-501").contains("none.yaml");
    }
}
