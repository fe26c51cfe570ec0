package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.cli.doctor.Finding;
import org.tamanoir.cli.doctor.Finding.State;
import org.tamanoir.cli.doctor.NodeChecks;
import org.tamanoir.node.manage.configuration.EffectiveValue;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir config}: a node's configuration, without a node. */
@Command(name = "config", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = {ConfigCommand.Check.class, ConfigCommand.Show.class},
        description = "Check and show a node's configuration without a running node.",
        footer = {"", "Example:", "  tamanoir config check /etc/tamanoir/node.yaml"})
final class ConfigCommand {
    private ConfigCommand() {
    }

    /** {@code tamanoir config check}. */
    @Command(name = "check", mixinStandardHelpOptions = true,
            description = "Check whether a node would accept a file, and the keys and certificates that it names.",
            footer = {"", "Example:", "  tamanoir config check /etc/tamanoir/node.yaml", "",
                "Exit codes: 0 it is good, 1 a file that it names is not, 2 usage, or it is not a configuration itself (EE-501 names the line)."})
    static final class Check implements Callable<Integer> {
        @Spec
        private CommandSpec spec;
        @Parameters(paramLabel = "FILE", description = "The configuration of a node.")
        private Path file;
        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            List<Finding> findings = new NodeChecks(NodeConfiguration.read(file)).files();
            boolean good = findings.stream().noneMatch(each -> each.state() == State.WRONG);
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                Map<String, Object> answer = new LinkedHashMap<>();
                answer.put("file", file.toString());
                answer.put("good", good);
                answer.put("findings", findings);
                Json.print(out, answer);
            } else {
                DoctorCommand.print(out, findings);
                out.println(file + (good ? " is good" : " would not do: see above"));
                out.flush();
            }
            return good ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    /** {@code tamanoir config show}. */
    @Command(name = "show", mixinStandardHelpOptions = true,
            description = {"Show the effective value of every key, including defaults and what the node's fleet sets.", "Options of 'tamanoir node run' override the file and are not shown here."},
            footer = {"", "Examples:", "  tamanoir config show /etc/tamanoir/node.yaml", "  tamanoir config show --origin /etc/tamanoir/node.yaml"})
    static final class Show implements Callable<Integer> {
        @Spec
        private CommandSpec spec;
        @Parameters(paramLabel = "FILE", description = "The configuration of a node.")
        private Path file;
        @Option(names = "--origin", description = "Show where each value comes from: a line of the file, a generation of the node's fleet, or the default.")
        private boolean origin;
        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            List<EffectiveValue> values = EffectiveValue.all(file);
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                Map<String, Object> answer = new LinkedHashMap<>();
                answer.put("file", file.toString());
                answer.put("values", values);
                Json.print(out, answer);
            } else if (origin) {
                Table table = new Table("KEY", "FROM", "VALUE");
                values.forEach(each -> table.row(each.key(), from(each), each.value()));
                table.print(out);
            } else {
                values.forEach(each -> out.println(each.key() + ": " + each.value()));
            }
            out.flush();
            return ExitCode.DONE;
        }

        private String from(EffectiveValue value) {
            String written = value.line() == null ? null : file.getFileName() + ":" + value.line();
            return value.fleet() == null ? written == null ? "default" : written : (written == null ? "" : written + ", ") + "fleet " + value.fleet();
        }
    }
}
