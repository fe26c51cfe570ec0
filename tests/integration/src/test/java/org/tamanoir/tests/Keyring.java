package org.tamanoir.tests;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPath;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.trust.Publisher;

/** Publishers with keys that keytool has made, in one keystore of a directory; signs bundles with the JDK's own signer. */
final class Keyring {
    private static final String PASSWORD = "secret";

    private final Path store;
    private final Map<String, String> certificates = new HashMap<>();
    private int files;

    /** @param directory for the keystore and for signed bundles */
    Keyring(Path directory) {
        this.store = directory.resolve("keys.p12");
    }

    /** Makes the key of a publisher with the name {@code CN=name}; {@code more} are arguments of keytool. */
    Keyring add(String name, String... more) throws IOException {
        return addKey(name, name, more);
    }

    /** Makes one more key of a publisher, under another alias. */
    Keyring addKey(String alias, String name, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + name, "-keyalg", "EC"));
        arguments.addAll(List.of(more));
        keytool(arguments);
        return this;
    }

    /** A publisher whose certificate was valid in 2020 and is not any more. */
    Keyring addExpired(String name) throws IOException {
        return add(name, "-startdate", "2020/01/01 00:00:00", "-validity", "365");
    }

    /** The certificate as PEM, as keytool writes it; which is asked once. */
    String certificate(String name) throws IOException {
        String pem = certificates.get(name);
        if (pem == null) {
            Path file = store.resolveSibling(name + ".pem");
            keytool(List.of("-exportcert", "-rfc", "-alias", name, "-file", file.toString()));
            pem = Files.readString(file);
            certificates.put(name, pem);
        }
        return pem;
    }

    /** SHA-256 of the public key, as it stands in a list of what is revoked. */
    String key(String name) {
        try {
            return Publisher.of((X509Certificate) open().getCertificate(name)).key();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The bundle with the signature of a publisher. */
    byte[] signed(ServiceBundle bundle, String name) throws IOException {
        Path directory = store.toAbsolutePath().getParent();
        Path plain = directory.resolve("plain-" + ++files + ".jar");
        Path signed = directory.resolve("signed-" + files + ".jar");
        Files.write(plain, bundle.octets(), StandardOpenOption.CREATE_NEW);
        try (ZipFile zip = new ZipFile(plain.toFile()); OutputStream out = Files.newOutputStream(signed)) {
            KeyStore keys = open();
            CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(keys.getCertificateChain(name)));
            new JarSigner.Builder((PrivateKey) keys.getKey(name, PASSWORD.toCharArray()), path).digestAlgorithm("SHA-256")
                    .signerName(name.toUpperCase(Locale.ROOT)).build().sign(zip, out);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return Files.readAllBytes(signed);
    }

    private KeyStore open() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    /** In this process, which is sooner done than a JVM starts. With -debug it throws what is wrong, and does not end the process. */
    private void keytool(List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("-debug", "-keystore", store.toString(), "-storepass", PASSWORD));
        try {
            Class.forName("sun.security.tools.keytool.Main").getMethod("main", String[].class).invoke(null, (Object) all.toArray(String[]::new));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("keytool " + String.join(" ", arguments), e);
        }
    }
}
