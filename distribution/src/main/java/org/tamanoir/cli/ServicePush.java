package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service push}. */
@Command(name = "push", mixinStandardHelpOptions = true,
        description = {"Publishes bundles in a repository.",
            "What is published already is no error; a retired version is published again. If one bundle is refused the others are still "
                    + "pushed, and the exit code is that of the first refusal."},
        footer = {"", "Example:", "  tamanoir service push services/*/target/*.jar", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServicePush implements Callable<Integer> {
    /** Enough for the largest bundle on a slow line. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @Spec
    private CommandSpec spec;
    @Mixin
    private RepositoryOptions repository;
    @Mixin
    private TokenOptions tokens;
    @Parameters(paramLabel = "JAR", arity = "1..*", description = "The bundles.")
    private List<Path> jars;
    @Option(names = "--json", description = "Print one JSON object: pushed, refused.")
    private boolean json;

    @Override
    public Integer call() {
        HttpFetch fetch = repository.fetch().token(tokens.token()).timeout(TIMEOUT);
        List<JsonNode> pushed = new ArrayList<>();
        List<Map<String, String>> refused = new ArrayList<>();
        int exit = ExitCode.DONE;
        for (Path jar : jars) {
            try {
                pushed.add(fetch.put("/bundles", jar));
            } catch (AnepException e) {
                if (e.code() == ErrorCode.REPOSITORY_UNREACHABLE) {
                    throw e;
                }
                refused.add(Map.of("file", jar.toString(), "code", e.code().toString(), "message", e.text()));
                exit = exit == ExitCode.DONE ? ExitCode.of(e.code()) : exit;
            }
        }
        print(pushed, refused);
        return exit;
    }

    private void print(List<JsonNode> pushed, List<Map<String, String>> refused) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, Map.of("pushed", pushed, "refused", refused));
            return;
        }
        if (!pushed.isEmpty()) {
            ServiceTable table = new ServiceTable();
            pushed.forEach(table::add);
            table.print(out);
        }
        PrintWriter err = spec.commandLine().getErr();
        refused.forEach(r -> err.println(r.get("code") + " " + r.get("file") + ": " + r.get("message")));
        err.flush();
    }
}
