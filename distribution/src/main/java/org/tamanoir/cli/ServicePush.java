package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.trust.sign.BundleSigner;
import picocli.CommandLine.ArgGroup;
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
                    + "pushed, and the exit code is that of the first refusal.",
            "With --keystore it publishes copies that it has signed; files stay as they are."},
        footer = {"", "Examples:", "  tamanoir service push services/*/target/*.jar",
            "  tamanoir service push --keystore /etc/tamanoir/publisher.p12 /usr/share/tamanoir/services/*.jar", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServicePush implements Callable<Integer> {
    /** Enough for the largest bundle on a slow line. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @Spec
    private CommandSpec spec;
    @Mixin
    private RepositoryOptions repository;
    @Mixin
    private TokenOptions tokens;
    @ArgGroup(exclusive = false, heading = "Sign first, as service sign does:%n")
    private KeystoreOptions keystore;
    @Parameters(paramLabel = "JAR", arity = "1..*", description = "The bundles.")
    private List<Path> jars;
    @Option(names = "--json", description = "Print one JSON object: pushed, refused.")
    private boolean json;

    @Override
    public Integer call() {
        HttpFetch fetch = repository.fetch().token(tokens.token()).timeout(TIMEOUT);
        List<JsonNode> pushed = new ArrayList<>();
        List<Map<String, String>> refused = new ArrayList<>();
        BundleSigner signer = keystore == null ? null : new BundleSigner(keystore.key());
        int exit = ExitCode.DONE;
        try (Progress progress = new Progress(spec.commandLine().getErr(), "")) {
            for (Path jar : jars) {
                progress.step("%s, %d of %d".formatted(jar, pushed.size() + refused.size() + 1, jars.size()));
                try {
                    pushed.add(signer == null ? fetch.put("/bundles", jar) : putSigned(fetch, signer, jar));
                } catch (AnepException e) {
                    if (e.code() == ErrorCode.REPOSITORY_UNREACHABLE) {
                        throw e;
                    }
                    refused.add(Map.of("file", jar.toString(), "code", e.code().toString(), "message", e.text()));
                    exit = exit == ExitCode.DONE ? ExitCode.of(e.code()) : exit;
                }
            }
        }
        print(pushed, refused);
        return exit;
    }

    private static JsonNode putSigned(HttpFetch fetch, BundleSigner signer, Path jar) {
        Path copy = null;
        try {
            copy = Files.createTempFile("tamanoir-push", ".jar");
            signer.sign(jar, copy);
            return fetch.put("/bundles", copy);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "no signed copy of " + jar + " can be made: " + AnepException.reason(e), e);
        } finally {
            if (copy != null) {
                copy.toFile().delete();
            }
        }
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
