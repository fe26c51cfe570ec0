package org.tamanoir.benchmarks.process;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.lab.Command;
import org.tamanoir.trust.sign.BundleSigner;
import org.tamanoir.trust.sign.SigningKey;

/** A publisher with a key of its own (Ed25519, made with {@code keytool}), whom the nodes and the repository of a bench trust. */
public final class Signer {
    private static final Path KEYTOOL = Path.of(System.getProperty("java.home"), "bin", "keytool");
    private static final String ALIAS = "bench";
    /** Of a keystore that lives as long as the bench. */
    private static final String PASSWORD = "of-no-worth";

    private final BundleSigner signer;
    private final Path publishers;

    /** Makes the key. @param folder where the keystore and the trust store are kept */
    public Signer(Path folder) {
        Path keystore = folder.resolve("bench.p12");
        publishers = folder.resolve("publishers.pem");
        keytool(keystore, "-genkeypair", "-keyalg", "Ed25519", "-dname", "CN=bench", "-validity", "2");
        keytool(keystore, "-exportcert", "-rfc", "-file", publishers.toString());
        signer = new BundleSigner(SigningKey.load(keystore, ALIAS, PASSWORD.toCharArray()));
    }

    private static void keytool(Path keystore, String... arguments) {
        Command.run(Command.append(Command.append(List.of(KEYTOOL.toString()), arguments), "-alias", ALIAS, "-storetype", "PKCS12",
                "-keystore", keystore.toString(), "-storepass", PASSWORD));
    }

    /** The trust store: a PEM file with the publisher's certificate. */
    public Path publishers() {
        return publishers;
    }

    /** Signs a bundle. @param to may be the same file @return the signed one */
    public Path sign(Path bundle, Path to) {
        signer.sign(bundle, to);
        return to;
    }
}
