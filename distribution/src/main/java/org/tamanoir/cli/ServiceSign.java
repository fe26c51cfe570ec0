package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleHash;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.sign.BundleSigner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service sign}. */
@Command(name = "sign", mixinStandardHelpOptions = true,
        description = {"Sign bundles, so that nodes and repositories that trust the publisher accept them.",
            "A bundle is signed in place and loses earlier signatures; with --output the signed bundle is a new file. If one cannot be signed, the "
                    + "rest are not tried. Create keys with keytool; see docs/trust.md."},
        footer = {"", "Example:", "  tamanoir service sign services/meter/target/meter-1.0.0.jar --keystore publisher.p12 --alias meter", "",
            "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceSign implements Callable<Integer> {
    @Spec
    private CommandSpec spec;
    @Mixin
    private KeystoreOptions keystore;
    @Parameters(paramLabel = "JAR", arity = "1..*", description = "The bundles.")
    private List<Path> jars;
    @Option(names = "--output", paramLabel = "FILE", description = "File for the signed bundle; for one JAR only.")
    private Path output;
    @Option(names = "--json", description = "Print one JSON object: signed, a list with file, publisher, key, until, sha256.")
    private boolean json;

    @Override
    public Integer call() {
        if (output != null && jars.size() > 1) {
            throw new ParameterException(spec.commandLine(), "--output takes one JAR, not " + jars.size());
        }
        BundleSigner signer = new BundleSigner(keystore.key());
        List<Map<String, Object>> signed = new ArrayList<>();
        for (Path jar : jars) {
            Path target = output == null ? jar : output;
            signed.add(describe(target, signer.sign(jar, target)));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, Map.of("signed", signed));
        } else {
            Table table = new Table("FILE", "PUBLISHER", "KEY", "UNTIL", "SHA-256");
            signed.forEach(each -> table.row(each.values().toArray()));
            table.print(out);
            out.flush();
        }
        return ExitCode.DONE;
    }

    private static Map<String, Object> describe(Path file, Publisher publisher) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("file", file.toString());
        described.put("publisher", publisher.name());
        described.put("key", publisher.key());
        described.put("until", publisher.until().toString());
        try {
            described.put("sha256", BundleHash.of(file));
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot read " + file + ": " + e.getMessage(), e);
        }
        return described;
    }
}
