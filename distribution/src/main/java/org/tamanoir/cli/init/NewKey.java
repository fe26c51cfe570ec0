package org.tamanoir.cli.init;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A key with a certificate that it has signed itself, made with the JDK's {@code keytool}; it stays in a keystore until it is written. */
final class NewKey {
    private static final int KEYTOOL_SECONDS = 60;
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private final String alias;
    private final Path keystore;
    private final Path passwordFile;

    /**
     * @param options of {@code keytool -genkeypair}
     * @throws AnepException EE-501 with what keytool says
     */
    NewKey(String alias, Path keystore, Path passwordFile, String... options) throws IOException {
        this.alias = alias;
        this.keystore = keystore;
        this.passwordFile = passwordFile;
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        writeSecret(passwordFile, Base64.getEncoder().encodeToString(random) + "\n");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", alias,
                "-storetype", "PKCS12", "-keystore", keystore.toString(), "-storepass:file", passwordFile.toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "keytool makes no key: " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.STOPPING, "interrupted while a key was made", e);
        } finally {
            process.destroyForcibly();
        }
        Files.setPosixFilePermissions(keystore, PosixFilePermissions.fromString("rw-------"));
    }

    /** For those who are to believe it. */
    void writeCertificate(Path file) throws IOException {
        try {
            writeForAll(file, pem("CERTIFICATE", load().getCertificate(alias).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As PKCS #8 without a password, for the owner alone. */
    void writeKey(Path file) throws IOException {
        try {
            writeSecret(file, pem("PRIVATE KEY", load().getKey(alias, password()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keystore)) {
            store.load(in, password());
        }
        return store;
    }

    private char[] password() throws IOException {
        return Files.readString(passwordFile).strip().toCharArray();
    }

    private static String pem(String what, byte[] octets) {
        return "-----BEGIN " + what + "-----\n" + PEM.encodeToString(octets) + "\n-----END " + what + "-----\n";
    }

    /** Whatever the umask is: a node may run as another user. */
    static void writeForAll(Path file, String text) throws IOException {
        Files.writeString(Files.createFile(file), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private static void writeSecret(Path file, String text) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }
}
