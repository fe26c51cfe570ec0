package org.tamanoir.repository;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.sign.BundleSigner;
import org.tamanoir.trust.sign.SigningKey;

/** A publisher with a key of its own, made with keytool. */
final class Signer {
    private final Path directory;
    private final String certificate;
    private final SigningKey key;

    /** @param more goes to keytool, for example {@code -validity 1} */
    Signer(Path directory, String alias, String name, String... more) throws Exception {
        this.directory = directory;
        Path store = directory.resolve(alias + ".p12");
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-keystore", store.toString(), "-storepass", "secret",
                "-keyalg", "Ed25519", "-dname", name));
        arguments.addAll(List.of(more));
        keytool(arguments);
        certificate = keytool(List.of("-exportcert", "-rfc", "-alias", alias, "-keystore", store.toString(), "-storepass", "secret"));
        key = SigningKey.load(store, alias, "secret".toCharArray());
    }

    private static String keytool(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String out = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IOException(out);
        }
        return out;
    }

    Publisher publisher() {
        return key.publisher();
    }

    /** PEM. */
    String certificate() {
        return certificate;
    }

    byte[] sign(byte[] bundle) throws IOException {
        Path jar = Files.write(directory.resolve("sign.jar"), bundle);
        new BundleSigner(key).sign(jar, jar);
        return Files.readAllBytes(jar);
    }
}
