package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.paths.hosttune.TuningPreset;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir host tune}. */
@Command(name = "tune", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = {HostTuneRun.class, HostTuneCommand.Presets.class},
        description = "Tune the TCP flows of other programs on this host, new and open ones, for as long as a command runs. docs/tuning.md says when that is right.",
        footer = {"", "Example:", "  tamanoir host tune run --rules tune.yaml --dry-run"})
final class HostTuneCommand {
    /** {@code tamanoir host tune presets}. */
    @Command(name = "presets", mixinStandardHelpOptions = true, description = "Show tested presets, the reasons for their values, and what to know before using them. A rule uses one with 'preset: NAME'.",
            footer = {"", "Example:", "  tamanoir host tune presets"})
    static final class Presets implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                Json.print(out, Map.of("presets", TuningPreset.ALL.stream().map(Presets::answer).toList()));
                return ExitCode.DONE;
            }
            for (TuningPreset each : TuningPreset.ALL) {
                out.println(each.name() + ": " + each.treatment());
                each.reasons().forEach(reason -> out.println("  " + reason));
                out.println("  " + each.warning());
            }
            return ExitCode.DONE;
        }

        private static Map<String, Object> answer(TuningPreset preset) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("name", preset.name());
            answer.put("congestion", preset.treatment().congestion());
            answer.put("ai", preset.treatment().wad().ai());
            answer.put("md", preset.treatment().wad().md());
            answer.put("maxSsthresh", preset.treatment().wad().maxSsthresh());
            answer.put("reasons", List.copyOf(preset.reasons()));
            answer.put("warning", preset.warning());
            return answer;
        }
    }
}
