package org.tamanoir.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.sign.BundleSigner;
import org.tamanoir.trust.sign.SigningKey;

/** A publisher with a key that lives as long as its directory: bundles of a demo are signed as an operator's would be. */
public final class ThrowawayPublisher implements AutoCloseable {
    private static final String ALIAS = "publisher";
    private static final int KEYTOOL_SECONDS = 60;

    private final Path directory;
    private final String password = UUID.randomUUID().toString();
    private SigningKey key;
    private Process running;
    private boolean closed;

    /** Without a key; in a new directory. */
    public ThrowawayPublisher(Path directory) throws IOException {
        this.directory = Files.createDirectory(directory);
        Files.writeString(directory.resolve("password"), password);
    }

    /**
     * Makes the key with the JDK's {@code keytool}.
     *
     * @throws AnepException EE-210 if it is closed meanwhile
     */
    public void makeKey() throws IOException, InterruptedException {
        keytool("-genkeypair", "-keyalg", "Ed25519", "-dname", "CN=demo publisher");
        keytool("-exportcert", "-rfc", "-file", trust().toString());
        key = SigningKey.load(directory.resolve("key.p12"), ALIAS, password.toCharArray());
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", ALIAS, "-storetype", "PKCS12", "-keystore", directory.resolve("key.p12").toString(),
                "-storepass:file", directory.resolve("password").toString()));
        Path said = directory.resolve("keytool.log");
        Process keytool = start(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()));
        if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            failIfClosed();
            throw new IOException("keytool has failed, or takes too long: " + Files.readString(said).strip());
        }
    }

    /** Not after it was closed: a process that starts then would be left behind, and write where nobody looks any more. */
    private synchronized Process start(ProcessBuilder keytool) throws IOException {
        failIfClosed();
        running = keytool.start();
        return running;
    }

    private synchronized void failIfClosed() {
        if (closed) {
            throw new AnepException(ErrorCode.STOPPING, "the demo was told to end");
        }
    }

    /** Ends keytool, if it runs, and waits for that; its files stay. */
    @Override
    public synchronized void close() {
        closed = true;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** The file for {@code --trust}. */
    public Path trust() {
        return directory.resolve("publishers.pem");
    }

    /** A signed copy of a bundle. */
    public Path sign(Path bundle) {
        Path signed = directory.resolve(bundle.getFileName());
        new BundleSigner(key).sign(bundle, signed);
        return signed;
    }
}
