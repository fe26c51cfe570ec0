package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PlainText;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;
import org.tamanoir.trust.guest.GuestJar;
import org.tamanoir.trust.guest.GuestRule;
import org.tamanoir.trust.jar.SignedJar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service inspect}. */
@Command(name = "inspect", mixinStandardHelpOptions = true,
        description = {"Show which service a bundle offers, what it imports, who signed it, and whether a repository would accept it.",
            "With --trust it also says whether a node or a repository with these publishers would accept it; without, the signature is checked but "
                    + "no publisher is required. With --repository it also compares with what that repository holds. Nothing is published."},
        footer = {"", "Example:", "  tamanoir service inspect services/forward/target/forward-0.1.0.jar", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceInspect implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "JAR", description = "The bundle.")
    private Path jar;
    @Option(names = "--repository", paramLabel = "URL", description = "A repository to compare with.")
    private String repository;
    @Option(names = "--trust", paramLabel = "FILE", description = "Certificates (PEM) of the trusted publishers.")
    private Path publishers;
    @Option(names = "--guests", paramLabel = "FILE", description = "Certificates (PEM) of guests, who have quotas instead of trust; needs --trust.")
    private Path guests;
    @Option(names = "--revoked", paramLabel = "FILE", description = "List of revoked keys and bundles; needs --trust.")
    private Path revoked;
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        if ((revoked != null || guests != null) && publishers == null) {
            throw new ParameterException(spec.commandLine(), (revoked != null ? "--revoked" : "--guests") + " needs --trust");
        }
        Trust trust = publishers == null ? Trust.development() : Trust.of(publishers, guests, revoked, null, List.of());
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("file", jar.toString());
        int exit = ExitCode.DONE;
        try {
            examine(found, trust);
            found.put("accepted", true);
        } catch (AnepException e) {
            if (e.code() == ErrorCode.REPOSITORY_UNREACHABLE || e.code() == ErrorCode.BAD_REQUEST) {
                throw e;
            }
            found.put("accepted", false);
            found.put("error", new TreeMap<>(Map.of("code", e.code().toString(), "message", e.text())));
            exit = ExitCode.of(e.code());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "cannot read " + jar + ": " + AnepException.reason(e), e);
        }
        print(found);
        return exit;
    }

    private void examine(Map<String, Object> found, Trust trust) throws IOException {
        long size = Files.size(jar);
        String sha256 = BundleHash.of(jar);
        found.put("size", size);
        found.put("sha256", sha256);
        ServiceBundle bundle = BundleReader.read(jar);
        found.put("name", bundle.name());
        found.put("typeId", bundle.typeId());
        found.put("version", bundle.version());
        found.put("level", bundle.level());
        found.put("onFailure", bundle.onFailure() == null ? "as the node says" : bundle.onFailure());
        found.put("affinity", bundle.affinity() == null ? "none" : bundle.affinity());
        found.put("resume", bundle.resume() == null ? "none" : bundle.resume());
        found.put("runtime", bundle.runtime() == null ? "java" : bundle.runtime());
        found.put("symbolicName", bundle.symbolicName());
        found.put("imports", bundle.imports());
        found.put("exports", bundle.exports());
        found.put("requirements", bundle.requirements());
        describeSigner(found);
        Publisher publisher = trust.check(jar, sha256);
        GuestRule.check(publisher, trust.isDevelopment(), bundle.name(), bundle.typeId(), bundle.level(), bundle.runtime());
        if (ServiceName.isGuest(bundle.name())) {
            GuestJar.check(jar);
        }
        if (publisher != null && publisher.isGuest()) {
            found.put("guest", publisher.label());
        }
        if (repository != null) {
            held(repository).publish(new Entry(bundle.name(), bundle.typeId(), bundle.version(), bundle.level(), sha256, size, "", false)
                    .withPublisher(publisher));
        }
    }

    /** Whoever it is: whether that publisher is trusted is another question. */
    private void describeSigner(Map<String, Object> found) throws IOException {
        SignedJar signed = SignedJar.read(jar);
        found.put("publisher", null);
        if (signed.isSigned()) {
            Publisher publisher = Publisher.of(signed.signers().get(0).get(0));
            found.put("publisher", publisher.name());
            found.put("key", publisher.key());
            found.put("until", publisher.until().toString());
            found.put("content", signed.content());
        }
    }

    private static Catalogue held(String url) throws IOException {
        JsonNode services = HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).json("/services").path("services");
        return new Catalogue(0, List.of(new ObjectMapper().treeToValue(services, Entry[].class)));
    }

    private void print(Map<String, Object> found) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, found);
            return;
        }
        found.forEach((key, value) -> {
            if (value instanceof List<?> list) {
                out.println(key + ":" + (list.isEmpty() ? " none" : ""));
                list.forEach(item -> out.println("  " + PlainText.of(item.toString())));
            } else if (value instanceof Map<?, ?> error) {
                error.forEach((name, text) -> out.println(name + ": " + PlainText.of(text.toString())));
            } else {
                out.println(key + ": " + (value == null ? "none" : key.equals("typeId") ? Anep.typeName((Integer) value) : PlainText.of(value.toString())));
            }
        });
        out.flush();
    }
}
