package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;

/**
 * {@code docs/two-sites.md} as it stands: every block of commands runs in its turn, in a namespace in which the ports are free, and prints what
 * the page says, but for numbers, times and hashes.
 */
@Tag("lab")
class TheTwoSitesGuideTest {
    private static final Path PAGE = Path.of("../../docs/two-sites.md");
    private static final Pattern BLOCK = Pattern.compile("^```sh ?(server|refused)?\\n(.*?)^```\\n(?:\\n```text\\n(.*?)^```)?", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    @TempDir
    private Path directory;

    @Test
    void doesWhatItSays() throws Exception {
        Path program = Files.writeString(Files.createDirectory(directory.resolve("bin")).resolve("tamanoir"), "#!/bin/sh\nexec "
                + CommandLineTool.command().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")) + " \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Files.createDirectory(directory.resolve("work"));
        int blocks = 0;
        try (Lab lab = Lab.open()) {
            Host host = lab.host("sites");
            Matcher block = BLOCK.matcher(Files.readString(PAGE));
            while (block.find()) {
                blocks++;
                String commands = block.group(2);
                if ("server".equals(block.group(1))) {
                    assertThat(host.start("server", shell("exec " + commands)).awaitLine("READY ", PATIENCE)).isNotNull();
                    continue;
                }
                boolean refused = block.group(1) != null;
                Command.Result result = host.tryRun(PATIENCE, shell((refused ? "" : "set -e\n") + "exec 2>&1\n" + commands));
                assertThat(result.exit()).as("%s%s", commands, result.output()).satisfies(exit -> assertThat(exit == 0).isNotEqualTo(refused));
                assertThat(essence(result.output())).as(commands).isEqualTo(essence(block.group(3) == null ? "" : block.group(3)));
            }
        }
        assertThat(blocks).as("blocks of commands, so that none escapes the pattern").isEqualTo(count("```sh"));
    }

    private String[] shell(String commands) throws IOException {
        Path checkout = Path.of("../..").toRealPath();
        return new String[] {"bash", "-c", "export CHECKOUT='" + checkout + "' PATH='" + directory.resolve("bin") + "':$PATH\ncd '" + directory.resolve("work") + "'\n" + commands};
    }

    private static int count(String beginning) throws IOException {
        return (int) Files.readAllLines(PAGE).stream().filter(line -> line.startsWith(beginning)).count();
    }

    /** Without what differs from run to run: hashes, times, numbers with their units, widths of columns, and what Netty says of a host without interfaces. */
    private static String essence(String output) {
        return output.lines().filter(line -> !line.contains("MacAddressUtil")).map(line -> line.replaceAll("[0-9a-f]{16,}…?", "#").replaceAll("\\d{4}-[-\\dT:]+Z", "#")
                .replaceAll("\\d[\\d.]*( (ms|s|B|kB|MB|[kMG]?bit/s)\\b)?", "#").replaceAll("\\s+", " ").strip()).collect(Collectors.joining("\n"));
    }
}
