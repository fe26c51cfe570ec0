package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.sign.BundleSigner;

/** A bundle of a trusted publisher that somebody has changed is refused as EE-314, which says what was changed. */
class IntactBundleTest {
    private static final String FILE = "META-INF/TAMANOIR.SF";
    private static final String BLOCK = "META-INF/TAMANOIR.EC";

    @TempDir
    private Path directory;
    private Path jar;
    private Trust trust;

    @BeforeEach
    void sign() {
        jar = Jars.signed(directory, "alice");
        trust = Trust.of(Jars.trustFile(directory, "alice"), null);
        assertThat(trust.check(jar, Jars.sha256(jar)).name()).contains("alice");
    }

    private void assertTampered(String message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar)))
                .withMessageContaining(message).satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TAMPERED));
    }

    private static Arguments change(String what, String message, Consumer<Map<String, byte[]>> change) {
        return Arguments.of(what, message, change);
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                change("an entry has other content", Jars.CODE, all -> all.put(Jars.CODE, Jars.text("evil"))),
                change("an entry is empty", Jars.HELP, all -> all.put(Jars.HELP, new byte[0])),
                change("an entry is missing", Jars.HELP, all -> all.remove(Jars.HELP)),
                change("two entries are exchanged", Jars.CODE, all -> all.put(Jars.CODE, all.put(Jars.HELP, all.get(Jars.CODE)))),
                change("an entry has another name", "org/example/Evil.class", all -> all.put("org/example/Evil.class", all.get(Jars.CODE))),
                change("there is one more entry", "more.txt", all -> all.put("more.txt", Jars.text("more"))),
                change("there is one more entry in META-INF", "META-INF/services/x", all -> all.put("META-INF/services/x", Jars.text("x"))),
                change("there is one more directory", "META-INF/versions/17/", all -> all.put("META-INF/versions/17/", new byte[0])),
                change("a header of the manifest has changed", Jars.MANIFEST,
                        all -> all.put(Jars.MANIFEST, Jars.replace(all.get(Jars.MANIFEST), "1.0.0", "2.0.0"))),
                change("the manifest has a section more", Jars.MANIFEST,
                        all -> all.put(Jars.MANIFEST, Jars.replace(all.get(Jars.MANIFEST), "Name: " + Jars.HELP,
                                "Name: org/example/\r\nSealed: true\r\n\r\nName: " + Jars.HELP))),
                change("the manifest says the digest of what was put in", Jars.MANIFEST, all -> {
                    all.put("more.txt", Jars.text("more"));
                    all.put(Jars.MANIFEST, Jars.replace(all.get(Jars.MANIFEST), "Name: " + Jars.HELP, "Name: more.txt\r\nSHA-256-Digest: "
                            + Base64.getEncoder().encodeToString(HexFormat.of().parseHex(Jars.sha256(Jars.text("more"))))
                            + "\r\n\r\nName: " + Jars.HELP));
                }),
                change("the manifest is missing", "no manifest", all -> all.remove(Jars.MANIFEST)),
                change("the signature file has changed", "", all -> all.put(FILE, Jars.replace(all.get(FILE), "Created-By", "Created-by"))),
                change("the signature file signs no whole manifest", "whole",
                        all -> all.put(FILE, Jars.replace(all.get(FILE), "SHA-256-Digest-Manifest:", "SHA-256-Digest-Something:"))),
                change("the signature file is missing", BLOCK, all -> all.remove(FILE)),
                change("the signature block is missing", FILE, all -> all.remove(BLOCK)),
                change("the signature block is cut off", FILE,
                        all -> all.put(BLOCK, Arrays.copyOf(all.get(BLOCK), all.get(BLOCK).length / 2))),
                change("the signature block is something else", FILE, all -> all.put(BLOCK, Jars.text("something else"))),
                change("the signature block stands there twice", "2 signature blocks", all -> all.put("META-INF/TAMANOIR.RSA", all.get(BLOCK))),
                change("a signature file of another kind", "META-INF/SIG-X", all -> all.put("META-INF/SIG-X", new byte[1])),
                change("a manifest in small letters", "meta-inf/manifest.mf", all -> all.put("meta-inf/manifest.mf", all.get(Jars.MANIFEST))),
                change("a name that leads out", "is not allowed", all -> all.put("../../etc/passwd", new byte[1])),
                change("a name that stands for another", "is not allowed", all -> all.put("org//example/Code.class", new byte[1])));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    @Tag("long")
    void refusesABundleInWhich(String what, String message, Consumer<Map<String, byte[]>> change) {
        Jars.edit(jar, change);
        assertTampered(message);
    }

    @Test
    void refusesTheSignatureOfAnotherBundleOfTheSamePublisher() {
        Map<String, byte[]> signed = Jars.read(jar);
        Path other = Jars.write(directory.resolve("other.jar"), Map.of(Jars.MANIFEST, Jars.text("Manifest-Version: 1.0\r\n\r\n"), Jars.CODE,
                Jars.text("other code")));
        new BundleSigner(Keys.key("alice")).sign(other, other);
        Jars.edit(other, all -> all.putAll(Map.of(FILE, signed.get(FILE), BLOCK, signed.get(BLOCK))));
        jar = other;
        assertTampered(Jars.MANIFEST);
    }

    @Test
    void refusesTheBlockOfSomebodyElseOverTheSameBundle() {
        Path copy = Jars.write(directory.resolve("copy.jar"), Jars.read(jar));
        new BundleSigner(Keys.key("bob")).sign(copy, copy);
        byte[] forged = Jars.read(copy).get(BLOCK);
        Jars.edit(jar, all -> all.put(BLOCK, forged));
        // The same manifest and signature file: this is a bundle of Bob's now, not a broken one.
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, Jars.sha256(jar)))
                .withMessageContaining("EE-313").withMessageContaining("CN=bob");
    }

    @Test
    void refusesASecondSignerWhereTheFirstSignedOnlyPartOfIt() {
        Jars.edit(jar, all -> all.put("more.txt", Jars.text("more")));
        Keys.jarsigner(jar, "bob");
        // To the JDK, Alice has signed all but one entry and Bob all of them.
        assertTampered(Jars.MANIFEST);
    }

    @Test
    void refusesAnEntryBeforeTheSignature() {
        Jars.first(jar, Jars.HELP, Jars.read(jar).get(Jars.HELP));
        assertTampered("stands behind");
    }

    @Test
    void refusesAnythingThatIsNoArchive() throws Exception {
        byte[] whole = Files.readAllBytes(jar);
        for (int length : new int[] {0, 1, 21, 22, whole.length / 2, whole.length - 1}) {
            Files.write(jar, Arrays.copyOf(whole, length));
            assertTampered("archive");
        }
        Files.delete(jar);
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> trust.check(jar, "0".repeat(64))).withMessageContaining("EE-409");
    }
}
