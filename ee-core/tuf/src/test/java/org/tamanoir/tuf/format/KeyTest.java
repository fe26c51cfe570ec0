package org.tamanoir.tuf.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.tuf.testing.Oracle;
import org.tamanoir.tuf.testing.Signers;

/** Keys have the ids that securesystemslib gives them, and only keys and signatures of the two kinds count. */
class KeyTest {
    private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    @Test
    void haveTheIdsOfSecuresystemslib() throws Exception {
        List<PublicKey> keys = new ArrayList<>();
        IntStream.range(0, 5).forEach(i -> {
            keys.add(Signers.pair("Ed25519", null).getPublic());
            keys.add(Signers.pair("EC", "secp256r1").getPublic());
        });
        try (Oracle oracle = new Oracle(directory)) {
            assertThat(keys.stream().map(key -> Key.of(key).orElseThrow().id()).toList()).isEqualTo(oracle.keyIds(keys.stream().map(KeyTest::pem).toList()));
        }
    }

    private static String pem(PublicKey key) {
        return "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded()) + "\n-----END PUBLIC KEY-----\n";
    }

    private static Key read(Map<String, Object> json) {
        return Key.read("id", Fields.of(json, "key"));
    }

    @Test
    void areReadAsTheyAreWritten() throws Exception {
        for (String[] kind : new String[][] {{"Ed25519", null, "Ed25519"}, {"EC", "secp256r1", "SHA256withECDSA"}}) {
            KeyPair pair = Signers.pair(kind[0], kind[1]);
            Signature signer = Signature.getInstance(kind[2]);
            signer.initSign(pair.getPrivate());
            signer.update(MESSAGE);
            byte[] signature = signer.sign();
            Key key = Key.of(pair.getPublic()).orElseThrow();
            Key read = read(key.json());
            assertThat(read.hasSigned(MESSAGE, signature)).isTrue();
            assertThat(read.isSame(key)).isTrue();
            assertThat(read.isSame(Key.of(Signers.pair(kind[0], kind[1]).getPublic()).orElseThrow())).isFalse();
            assertThat(read.hasSigned("massage".getBytes(StandardCharsets.UTF_8), signature)).isFalse();
            for (int i = 0; i < signature.length * 8; i++) {
                byte[] flipped = signature.clone();
                flipped[i / 8] ^= 1 << i % 8;
                assertThat(read.hasSigned(MESSAGE, flipped)).isFalse();
            }
            assertThat(read.hasSigned(MESSAGE, new byte[0])).isFalse();
            assertThat(read.hasSigned(MESSAGE, new byte[signature.length])).isFalse();
        }
    }

    /** CVE-2022-21449: a signature of r = s = 0 was once taken for every message. */
    @Test
    void takeNoSignatureOfNothing() {
        Key key = read(Key.of(Signers.pair("EC", "secp256r1").getPublic()).orElseThrow().json());
        assertThat(key.hasSigned(MESSAGE, HexFormat.of().parseHex("3006020100020100"))).isFalse();
    }

    @Test
    void ofOtherKindsSignNothing() throws Exception {
        assertThat(Key.of(Signers.pair("EC", "secp384r1").getPublic())).isEmpty();
        assertThat(Key.of(Signers.pair("RSA", null).getPublic())).isEmpty();
        assertThat(Key.of(Signers.pair("Ed448", null).getPublic())).isEmpty();
        KeyPair rsa = Signers.pair("RSA", null);
        KeyPair other = Signers.pair("EC", "secp384r1");
        Signature signer = Signature.getInstance("SHA256withECDSA");
        signer.initSign(other.getPrivate());
        signer.update(MESSAGE);
        byte[] signature = signer.sign();
        List<Map<String, Object>> unusable = List.of(json("rsa", "rsassa-pss-sha256", pem(rsa.getPublic())), json("ecdsa", "ecdsa-sha2-nistp256", pem(other.getPublic())),
                json("ecdsa", "ecdsa-sha2-nistp384", pem(other.getPublic())), json("ecdsa", "ecdsa-sha2-nistp256", "nonsense"), json("ecdsa", "ecdsa-sha2-nistp256", ""),
                json("ed25519", "ed25519", "00"), json("ed25519", "ed25519", "zz".repeat(32)), json("ed25519", "none", "00".repeat(32)), json("dilithium", "dilithium3", "00"),
                json("ecdsa", "ecdsa-sha2-nistp256", "-----BEGIN PUBLIC KEY-----"), Map.of("keytype", "sigstore-oidc", "scheme", "Fulcio", "keyval", Map.of("identity", "a")));
        for (Map<String, Object> json : unusable) {
            Key key = read(json);
            assertThat(key.key()).as(json.toString()).isNull();
            assertThat(key.hasSigned(MESSAGE, signature)).isFalse();
            assertThat(key.isSame(key)).isFalse();
        }
    }

    private static Map<String, Object> json(String type, String scheme, String value) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("keytype", type);
        json.put("scheme", scheme);
        json.put("keyval", Map.of("public", value));
        return json;
    }
}
