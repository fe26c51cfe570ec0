package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;

/** {@code qos domain} as an operator gives it, in a namespace. */
@Tag("lab")
class ADiffServDomainTest {
    @TempDir
    private Path folder;

    @Test
    void classesAreSetUpShownAndTakenAwayByCommands() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        try (Lab lab = Lab.open()) {
            Host host = lab.host("a");
            String device = lab.link(host, lab.host("b")).first().name();
            Path file = Files.writeString(folder.resolve("domain.yaml"), "rate: 100mbit\n");
            String before = host.run("tc", "qdisc", "show").output();
            Command.Result dry = domain(host, "apply", "--interface", device, "--file", file.toString(), "--dry-run");
            assertThat(dry.exit()).as(dry.errors()).isEqualTo(ExitCode.DONE);
            assertThat(dry.output()).contains("tc qdisc add dev " + device + " root handle 5404: htb");
            assertThat(host.run("tc", "qdisc", "show").output()).as("nothing was done").isEqualTo(before);

            JsonNode applied = CommandLineTool.json(domain(host, "apply", "--interface", device, "--file", file.toString(), "--json").output());
            assertThat(applied.get("changed").asBoolean()).isTrue();
            JsonNode shown = CommandLineTool.json(domain(host, "show", "--interface", device, "--json").output());
            assertThat(shown.get("classes").findValuesAsText("name")).containsExactly("EF", "AF-TCP", "AF-UDP", "BE", "LBE");
            assertThat(domain(host, "remove", "--interface", device).exit()).isEqualTo(ExitCode.DONE);
            assertThat(host.run("tc", "qdisc", "show").output()).isEqualTo(before);

            host.run("tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", "1mbit", "burst", "10kb", "latency", "10ms");
            Command.Result foreign = domain(host, "apply", "--interface", device, "--file", file.toString());
            assertThat(foreign.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(foreign.errors()).startsWith("EE-811 ").contains("--force");
            Command.Result missing = domain(host, "apply", "--interface", "nosuch", "--file", file.toString());
            assertThat(missing.exit()).isEqualTo(ExitCode.FAILED);
            assertThat(missing.errors()).startsWith("EE-810 ").contains("ip link");
        }
    }

    private static Command.Result domain(Host host, String... arguments) {
        String[] words = new String[arguments.length + 2];
        words[0] = "qos";
        words[1] = "domain";
        System.arraycopy(arguments, 0, words, 2, arguments.length);
        return host.tryRun(CommandLineTool.PATIENCE, CommandLineTool.command(words).toArray(String[]::new));
    }
}
