package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.cli.tuf.MetadataServer;
import org.tamanoir.cli.tuf.PublisherRole;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.trust.jar.SignedJar;
import org.tamanoir.trust.sign.BundleSigner;
import org.tamanoir.trust.sign.SigningKey;
import org.tamanoir.tuf.ServiceTarget;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service push}. */
@Command(name = "push", mixinStandardHelpOptions = true,
        description = {"Publish bundles in a repository.",
            "A bundle that is already published is not an error; a retired version is published again. If a bundle is refused, the others are still "
                    + "pushed, and the exit code is that of the first refusal.",
            "With --keystore it publishes signed copies; the files stay unchanged, and bundles that this key has already signed are pushed as they "
                    + "are. If the repository publishes TUF metadata, it also signs the publisher's role."},
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
    @Mixin
    private RepositoryTuf.RootOption root;
    @Mixin
    private RepositoryTuf.LifeOptions life;
    @Parameters(paramLabel = "JAR", arity = "1..*", description = "The bundles.")
    private List<Path> jars;
    @Option(names = "--json", description = "Print one JSON object: pushed, refused.")
    private boolean json;

    @Override
    public Integer call() {
        HttpFetch fetch = repository.fetch().token(tokens.token()).timeout(TIMEOUT);
        List<JsonNode> pushed = new ArrayList<>();
        List<Map<String, String>> refused = new ArrayList<>();
        Publication publication = keystore == null ? new Plain(fetch) : signing(fetch, keystore.key());
        int exit = ExitCode.DONE;
        try (Progress progress = new Progress(spec.commandLine().getErr(), "")) {
            for (Path jar : jars) {
                progress.step("%s, %d of %d".formatted(jar, pushed.size() + refused.size() + 1, jars.size()));
                try {
                    pushed.add(publication.put(jar));
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

    /** How a bundle gets into the repository. */
    private interface Publication {
        JsonNode put(Path jar);
    }

    private record Plain(HttpFetch fetch) implements Publication {
        @Override
        public JsonNode put(Path jar) {
            return fetch.put("/bundles", jar);
        }
    }

    private Publication signing(HttpFetch fetch, SigningKey key) {
        MetadataServer server = new MetadataServer(fetch);
        if (!server.isActive()) {
            return new Copies(key, new Plain(fetch));
        }
        PublisherRole role = new PublisherRole(server, key, root.octets(), life.life());
        return new Copies(key, copy -> {
            ServiceTarget target = role.push(copy);
            return fetch.json("/services/" + HttpFetch.segment(ServiceName.segment(target.name())) + "/" + HttpFetch.segment(target.version()));
        });
    }

    /** Pushes signed copies. */
    private record Copies(SigningKey key, Publication then) implements Publication {
        @Override
        public JsonNode put(Path jar) {
            Path copy = null;
            try {
                copy = Files.createTempFile("tamanoir-push", ".jar");
                if (isSigned(jar)) {
                    Files.copy(jar, copy, StandardCopyOption.REPLACE_EXISTING);
                } else {
                    new BundleSigner(key).sign(jar, copy);
                }
                return then.put(copy);
            } catch (IOException e) {
                throw new AnepException(ErrorCode.STORAGE, "no signed copy of " + jar + " can be made: " + AnepException.reason(e), e);
            } finally {
                if (copy != null) {
                    copy.toFile().delete();
                }
            }
        }

        /** Another signature of the same key would only make another file of it. */
        private boolean isSigned(Path jar) {
            try {
                return SignedJar.read(jar).signers().equals(List.of(key.chain()));
            } catch (IOException | AnepException e) {
                return false;
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
