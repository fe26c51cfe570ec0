package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.trust.jar.SignedJar;
import org.tamanoir.trust.sign.BundleSigner;
import org.tamanoir.trust.sign.SigningKey;

@Tag("long")
class BundleSignerTest {
    @TempDir
    private Path directory;

    @Test
    void signsWhatWasThereAndLeavesTheOriginalAloneWhenTold() throws Exception {
        Path jar = Jars.unsigned(directory);
        byte[] original = Files.readAllBytes(jar);
        Path target = directory.resolve("signed.jar");
        Publisher publisher = new BundleSigner(Keys.key("alice")).sign(jar, target);
        assertThat(publisher).isEqualTo(Keys.key("alice").publisher());
        assertThat(Files.readAllBytes(jar)).isEqualTo(original);
        Map<String, byte[]> signed = Jars.read(target);
        Map<String, byte[]> before = Jars.read(jar);
        before.remove(Jars.MANIFEST);
        assertThat(signed).containsKeys(before.keySet().toArray(String[]::new));
        assertThat(signed.get(Jars.CODE)).isEqualTo(before.get(Jars.CODE));
        assertThat(new String(signed.get(Jars.MANIFEST))).startsWith("Manifest-Version: 1.0\r\nBundle-SymbolicName: org.example.code\r\n");
        assertThat(directory.toFile().list()).as("nothing else is left").containsExactlyInAnyOrder("bundle.jar", "signed.jar");
    }

    @Test
    void givesTheSameFileAgainButForTheSignatureBlock() throws Exception {
        Path jar = Jars.unsigned(directory);
        Path first = directory.resolve("first.jar");
        Path second = directory.resolve("second.jar");
        new BundleSigner(Keys.key("alice")).sign(jar, first);
        Thread.sleep(2_100);
        new BundleSigner(Keys.key("alice")).sign(jar, second);
        Map<String, Object> one = described(first);
        Map<String, Object> two = described(second);
        // The time of signing is in it.
        assertThat(one.remove("META-INF/TAMANOIR.EC")).isNotEqualTo(two.remove("META-INF/TAMANOIR.EC"));
        assertThat(one).isEqualTo(two);
        assertThat(SignedJar.read(first).content()).isEqualTo(SignedJar.read(second).content());
    }

    /** Entries in order, with everything that an archive says of them. */
    private static Map<String, Object> described(Path jar) throws Exception {
        Map<String, Object> described = new LinkedHashMap<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                described.put(entry.getName(), described.size() + " " + entry.getTimeLocal() + " " + entry.getCrc() + " " + entry.getCompressedSize());
            }
        }
        return described;
    }

    @Test
    void replacesTheSignatureOfWhoSignedBefore() throws Exception {
        Path jar = Jars.unsigned(directory);
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        Keys.jarsigner(jar, "bob");
        Path link = Files.createSymbolicLink(directory.resolve("link.jar"), jar);
        new BundleSigner(Keys.key("alice")).sign(link, link);
        assertThat(link).isSymbolicLink();
        assertThat(Jars.read(jar)).doesNotContainKeys("META-INF/BOB.SF", "META-INF/BOB.EC");
        assertThat(Trust.development().check(jar, "").name()).contains("alice");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(jar))).isEqualTo("rw-r--r--");
    }

    @ParameterizedTest
    @CsvSource({"expired, EE-315, 2020-12-31", "future, EE-315, 2090-01-01", "server, EE-501, codeSigning", "encipher, EE-501, digitalSignature",
        "small, EE-501, 1024", "old, EE-501, SHA1withRSA", "dsa, EE-501, DSA"})
    void refusesAKeyWhoseSignatureNobodyWouldTake(String name, String code, String reason) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Keys.key(name)).withMessageContaining(code).withMessageContaining(reason);
    }

    @Test
    void saysWhatIsWrongWithAKeystore() throws Exception {
        Path store = Keys.store("alice");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> SigningKey.load(store, "alice", "wrong1".toCharArray()))
                .withMessageContaining("EE-501").withMessageContaining("password");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> SigningKey.load(store, "bob", Keys.password()))
                .withMessageContaining("EE-501").withMessageContaining("[alice]");
        Path text = Files.writeString(directory.resolve("text"), "no keystore");
        for (Path file : new Path[] {text, directory, directory.resolve("missing")}) {
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> SigningKey.load(file, "alice", Keys.password()))
                    .withMessageContaining("EE-501").withMessageContaining(file.toString());
        }
        assertThat(Keys.key("alice").toString()).contains("CN=alice").doesNotContain("PrivateKey");
    }

    @Test
    void leavesWhatItCannotSignAsItWas() throws Exception {
        Path jar = Files.writeString(directory.resolve("bundle.jar"), "no archive");
        BundleSigner signer = new BundleSigner(Keys.key("alice"));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> signer.sign(jar, jar)).withMessageContaining("EE-314");
        assertThat(jar).hasContent("no archive");
        Jars.write(jar, Map.of(Jars.MANIFEST, Jars.text("Manifest-Version: 1.0\r\n\r\n"), "../out", new byte[1]));
        byte[] before = Files.readAllBytes(jar);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> signer.sign(jar, jar)).withMessageContaining("../out");
        assertThat(Files.readAllBytes(jar)).isEqualTo(before);
        assertThat(directory.toFile().list()).containsExactly("bundle.jar");
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> signer.sign(directory.resolve("missing"), jar)).withMessageContaining("EE-407");
    }
}
