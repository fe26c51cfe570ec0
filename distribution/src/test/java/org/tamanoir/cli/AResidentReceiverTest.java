package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code multicast receive --forever} and {@code --exec}, on a group of the loopback interface. */
class AResidentReceiverTest {
    private final String group = "239.255.76.1:" + (20_000 + (int) (ProcessHandle.current().pid() % 10_000) * 3 + 2);

    @TempDir
    private Path folder;

    private String[] receive(String... more) {
        List<String> arguments = new ArrayList<>(List.of("multicast", "receive", "--group", group, "--interface", "lo", "--name", "berlin",
                "--output", folder.resolve("out").toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private Launched send(String... files) {
        List<String> arguments = new ArrayList<>(List.of("multicast", "send", "--group", group, "--interface", "lo", "--expect", "1", "--rate", "50M",
                "--patience", "1s"));
        arguments.addAll(List.of(files));
        return Launched.here(arguments.toArray(String[]::new));
    }

    private String file(String name, String content) throws Exception {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    @Test
    @Tag("long")
    void takesSessionAfterSessionAndRunsTheCommandAfterEachFile() throws Exception {
        Path log = folder.resolve("log");
        String command = "echo begin $(basename \"$1\") >> " + log + "; sleep 0.3; cmp -s \"$1\" \"$TAMANOIR_FILE\" || exit 9; echo on standard output;"
                + " grep -q bad \"$1\" && exit 3; echo end ${#TAMANOIR_SESSION} >> " + log;
        Process resident = Launched.process(receive("--forever", "--exec", command)).redirectError(ProcessBuilder.Redirect.PIPE).start();
        Launched.ready(resident.inputReader());
        assertThat(send(file("one", "good"), file("two", "bad")).exit()).isEqualTo(ExitCode.DONE);
        // The command still runs; the receiver is there again.
        assertThat(send(file("a $(touch evil) b", "good")).exit()).isEqualTo(ExitCode.DONE);
        // Of a session that it cannot keep it has everything before it knows, and must not try to finish that for ever.
        Files.writeString(folder.resolve("one"), "evil");
        Launched refused = send(folder.resolve("one").toString());
        assertThat(refused.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err()).contains("EE-409 'berlin' is not complete");
        Thread.sleep(6_000);
        assertThat(send(file("last", "good")).exit()).isEqualTo(ExitCode.DONE);
        for (int i = 0; i < 1000 && Files.readAllLines(log).size() < 7; i++) {
            Thread.sleep(20);
        }
        assertThat(Files.readAllLines(log)).as("one at a time").containsExactly("begin one", "end 16", "begin two", "begin a $(touch evil) b",
                "end 16", "begin last", "end 16");
        resident.toHandle().destroy();
        assertThat(resident.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(resident.exitValue()).isEqualTo(ExitCode.DONE);
        String said = text(resident.errorReader());
        assertThat(said).containsPattern("the command for '.*/out/one' ended with 0 after").containsPattern("the command for '.*/out/two' ended with 3 after")
                .contains("on standard output").containsOnlyOnce("EE-409 '");
        assertThat(text(resident.inputReader())).doesNotContain("on standard output").contains("2 files, 7 octets", "1 file, 4 octets");
        assertThat(folder.resolve("out/one")).hasContent("good");
    }

    @Test
    void aCommandThatFailsFailsAReceiverOfOneSession() throws Exception {
        Launched receive = Launched.here(receive("--exec", "exit 7"));
        receive.ready();
        assertThat(send(file("one", "1")).exit()).isEqualTo(ExitCode.DONE);
        assertThat(receive.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(receive.err()).contains("ended with 7 after");
    }

    @Test
    void aBoundOnWaitingForEverIsAMistake() throws Exception {
        Launched receive = Launched.here(receive("--forever", "--wait", "1s"));
        assertThat(receive.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(receive.err()).contains("--forever and --wait");
    }

    private static String text(BufferedReader reader) {
        return reader.lines().collect(Collectors.joining("\n"));
    }
}
