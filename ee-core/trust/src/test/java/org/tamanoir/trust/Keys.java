package org.tamanoir.trust;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPath;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import org.tamanoir.trust.sign.SigningKey;

/** Keys as operators make them: with keytool, in one keystore a key. Made once for all tests, when they are first asked for. */
final class Keys {
    private static final Path DIRECTORY = directory();
    private static final Map<String, Path> MADE = new ConcurrentHashMap<>();
    private static final Map<String, String> AUTHORITIES = new ConcurrentHashMap<>();
    private static final Map<Path, String> CERTIFICATES = new ConcurrentHashMap<>();
    private static final Map<String, List<String>> KINDS = Map.ofEntries(
            Map.entry("alice", List.of("-keyalg", "Ed25519")),
            Map.entry("bob", List.of("-keyalg", "EC", "-groupname", "secp256r1")),
            Map.entry("carol", List.of("-keyalg", "RSA", "-keysize", "2048")),
            Map.entry("small", List.of("-keyalg", "RSA", "-keysize", "1024")),
            Map.entry("old", List.of("-keyalg", "RSA", "-keysize", "2048", "-sigalg", "SHA1withRSA")),
            Map.entry("dsa", List.of("-keyalg", "DSA", "-keysize", "2048")),
            Map.entry("expired", List.of("-keyalg", "Ed25519", "-startdate", "2020/01/01 00:00:00", "-validity", "365")),
            Map.entry("future", List.of("-keyalg", "Ed25519", "-startdate", "2090/01/01 00:00:00")),
            Map.entry("server", List.of("-keyalg", "EC", "-ext", "ExtendedKeyUsage=serverAuth")),
            Map.entry("encipher", List.of("-keyalg", "RSA", "-keysize", "2048", "-ext", "KeyUsage=keyEncipherment")),
            Map.entry("authority", List.of("-keyalg", "EC", "-ext", "BasicConstraints:critical=ca:true", "-ext",
                    "KeyUsage:critical=keyCertSign")),
            Map.entry("other-authority", List.of("-keyalg", "EC", "-ext", "BasicConstraints:critical=ca:true")),
            Map.entry("past-authority", List.of("-keyalg", "EC", "-ext", "BasicConstraints:critical=ca:true", "-startdate",
                    "2020/01/01 00:00:00", "-validity", "365")));

    private Keys() {
    }

    private static Path directory() {
        try {
            Path directory = Files.createTempDirectory("keys");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                for (java.io.File file : directory.toFile().listFiles()) {
                    file.delete();
                }
                directory.toFile().delete();
            }));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The keystore that holds the key, under its name as alias. */
    static Path store(String name) {
        return MADE.computeIfAbsent(name, made -> make(made, made, KINDS.get(made)));
    }

    /** The key of somebody whom an authority has certified, and no other in any of the tests; {@code more} goes to keytool. */
    static Path certified(String name, String authority, String... more) {
        String before = AUTHORITIES.putIfAbsent(name, authority);
        if (before != null && !before.equals(authority)) {
            throw new IllegalStateException(name + " is certified by " + before + ", and " + authority + " needs somebody else");
        }
        Path store = store(authority);
        return MADE.computeIfAbsent(name, made -> {
            Path copy = DIRECTORY.resolve(made + ".p12");
            try {
                Files.copy(store, copy);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            List<String> kind = new ArrayList<>(List.of("-keyalg", "Ed25519", "-signer", authority));
            kind.addAll(List.of(more));
            return make(made, made, kind);
        });
    }

    private static Path make(String file, String alias, List<String> kind) {
        Path store = DIRECTORY.resolve(file + ".p12");
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-keystore", store.toString(), "-storepass", "secret", "-alias", alias,
                "-dname", "CN=" + alias + ",O=Example", "-validity", "3650"));
        kind.forEach(arguments::add);
        keytool(arguments.toArray(String[]::new));
        return store;
    }

    private static Path stored(String name) {
        return MADE.containsKey(name) ? MADE.get(name) : store(name);
    }

    static SigningKey key(String name) {
        return SigningKey.load(stored(name), name, password());
    }

    static char[] password() {
        return "secret".toCharArray();
    }

    /** The certificates of these keys, one after another. */
    static String pem(String... names) {
        StringBuilder pem = new StringBuilder();
        for (String name : names) {
            pem.append(CERTIFICATES.computeIfAbsent(stored(name), store -> {
                Path file = DIRECTORY.resolve(name + ".pem");
                keytool("-exportcert", "-rfc", "-keystore", store.toString(), "-storepass", "secret", "-alias", name, "-file", file.toString());
                try {
                    return Files.readString(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }
        return pem.toString();
    }

    /** In this process: a JVM for each of two dozen keys takes longer than all of these tests. With -debug it throws what is wrong, and does not end the process. */
    private static void keytool(String... arguments) {
        List<String> all = new ArrayList<>(List.of("-debug"));
        all.addAll(List.of(arguments));
        try {
            Class.forName("sun.security.tools.keytool.Main").getMethod("main", String[].class).invoke(null, (Object) all.toArray(String[]::new));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("keytool " + String.join(" ", arguments), e);
        }
    }

    /** Signs as others may, with the JDK's own means: also with keys that ours refuses. */
    static void jarsigner(Path jar, String name, String... options) {
        Path signed = jar.resolveSibling("signed");
        try (ZipFile zip = new ZipFile(jar.toFile()); OutputStream out = Files.newOutputStream(signed)) {
            KeyStore store = KeyStore.getInstance(stored(name).toFile(), password());
            CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(store.getCertificateChain(name)));
            JarSigner.Builder builder = new JarSigner.Builder((PrivateKey) store.getKey(name, password()), path).digestAlgorithm("SHA-256")
                    .signerName(name.toUpperCase(Locale.ROOT));
            for (String option : options) {
                String value = option.substring(option.indexOf('=') + 1);
                builder = option.startsWith("digest=") ? builder.digestAlgorithm(value) : builder.signatureAlgorithm(value);
            }
            builder.build().sign(zip, out);
            Files.move(signed, jar, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
