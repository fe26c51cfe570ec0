package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir service deploy}. */
@Command(name = "deploy", mixinStandardHelpOptions = true,
        description = {"Give bundles to a node, which verifies, stores and starts them.",
            "New streams get a version as soon as it is active; streams on another version finish there. If a bundle is refused, the others are "
                    + "still deployed, and the exit code is that of the first refusal."},
        footer = {"", "Examples:", "  tamanoir service deploy services/monitoring/target/monitoring-0.1.0.jar",
            "  tamanoir service deploy --dry-run meter-1.2.0.jar", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceDeploy extends NodeClient {
    @Parameters(paramLabel = "JAR", arity = "1..*", description = "The bundles.")
    private List<Path> jars;
    @Option(names = "--dry-run", description = "Only show what would happen, and to which streams.")
    private boolean dryRun;

    @Override
    public Integer call() {
        HttpFetch node = patientApi();
        List<JsonNode> answers = new ArrayList<>();
        List<Map<String, String>> refused = new ArrayList<>();
        int exit = ExitCode.DONE;
        try (Progress progress = new Progress(err(), "")) {
            for (Path jar : jars) {
                progress.step("%s, %d of %d".formatted(jar, answers.size() + refused.size() + 1, jars.size()));
                try {
                    answers.add(node.put(dryRun ? "/bundles?dry-run=true" : "/bundles", jar));
                } catch (AnepException e) {
                    if (e.code() == ErrorCode.UNREACHABLE) {
                        throw e;
                    }
                    refused.add(Map.of("file", jar.toString(), "code", e.code().toString(), "message", e.text()));
                    exit = exit == ExitCode.DONE ? ExitCode.of(e.code()) : exit;
                }
            }
        }
        print(answers, refused);
        return exit;
    }

    private void print(List<JsonNode> answers, List<Map<String, String>> refused) {
        if (isJson()) {
            Json.print(out(), Map.of(dryRun ? "planned" : "deployed", answers, "refused", refused));
            return;
        }
        if (dryRun) {
            answers.forEach(answer -> new UpgradePlan(answer).print(out(), true));
        } else if (!answers.isEmpty()) {
            NodeServiceTable table = new NodeServiceTable();
            answers.forEach(table::add);
            table.print(out());
        }
        out().flush();
        PrintWriter err = err();
        refused.forEach(each -> err.println(each.get("code") + " " + each.get("file") + ": " + each.get("message")));
        err.flush();
    }
}
