package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** {@code receive} ends a stream cleanly, which tells its source that all is well, only when the file outlasts a loss of power. */
@Tag("long")
class AReceivedFileIsOnTheDiskTest {
    private static final Pattern READY = Pattern.compile("READY \\S+ \\S*?([0-9.]+):(\\d+)");

    @TempDir
    Path directory;

    @Test
    void beforeItsSourceIsTold() throws Exception {
        if (!LabRequirements.has("strace")) {
            DebianPackages.install(List.of("strace"));
        }
        Path log = directory.resolve("calls");
        Path file = directory.resolve("file");
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-e", "trace=fsync,rename,shutdown", "-o", log.toString()));
        command.addAll(CommandLineTool.command("receive", "--listen", "127.0.0.1:0", "--output", file.toString(), "--count", "1"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader out = process.inputReader(); AnepPeer source = new AnepPeer(address(out))) {
            source.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(9, Delivery.ANEP))).send(AnepPeer.data(Grid.FORWARD, new byte[100_00])).finish();
            assertThat(source.receive()).as("a good end").isNull();
            out.transferTo(java.io.Writer.nullWriter());
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.size(file)).isEqualTo(10_000);
        List<String> calls = Files.readAllLines(log);
        int content = index(calls, "fsync\\(\\d+<[^>]*file\\.part>\\) = 0");
        int name = index(calls, "rename\\(\"[^\"]*file\\.part\", \"[^\"]*file\"\\) = 0");
        int names = index(calls, "fsync\\(\\d+<" + Pattern.quote(directory.toRealPath().toString()) + ">\\) = 0");
        int told = index(calls, "shutdown\\(\\d+<(TCP|socket)[^)]*SHUT_WR\\)");
        assertThat(List.of(content, name, names, told)).as("%s", calls).isSorted().doesNotContain(-1).doesNotHaveDuplicates();
    }

    /** Of the first line that a call ends in; -1 if there is none. */
    private static int index(List<String> calls, String pattern) {
        Pattern call = Pattern.compile(pattern);
        for (int i = 0; i < calls.size(); i++) {
            if (call.matcher(calls.get(i)).find()) {
                return i;
            }
        }
        return -1;
    }

    private static InetSocketAddress address(BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return new InetSocketAddress(ready.group(1), Integer.parseInt(ready.group(2)));
            }
        }
        throw new IOException("it does not serve");
    }
}
