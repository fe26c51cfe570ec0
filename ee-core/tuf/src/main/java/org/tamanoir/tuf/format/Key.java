package org.tamanoir.tuf.format;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A public key of a role. Ed25519 and ECDSA over the curve P-256 are known; what another key has signed counts as not signed.
 *
 * @param id     as the document calls it: usually the SHA-256 of the key's canonical JSON, which nobody relies on
 * @param type   {@code ed25519}, {@code ecdsa}, or something else
 * @param scheme {@code ed25519}, {@code ecdsa-sha2-nistp256}, or something else
 * @param value  the public key: 64 hexadecimal digits, or PEM
 * @param key    null for one that cannot be used here
 */
public record Key(String id, String type, String scheme, String value, PublicKey key) {
    private static final String ED25519 = "ed25519";
    private static final String P256 = "ecdsa-sha2-nistp256";
    /** SubjectPublicKeyInfo of Ed25519 (RFC 8410), but for the key's 32 octets. */
    private static final byte[] ED25519_INFO = HexFormat.of().parseHex("302a300506032b6570032100");
    private static final int ED25519_OCTETS = 32;
    /** The order of P-256 (SP 800-186): no other curve of the JDK has it. */
    private static final BigInteger P256_ORDER = new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
    private static final String BEGIN = "-----BEGIN PUBLIC KEY-----";
    private static final String END = "-----END PUBLIC KEY-----";
    private static final int PEM_COLUMNS = 64;

    static Key read(String id, Fields fields) {
        String type = fields.text("keytype");
        String scheme = fields.text("scheme");
        String value = fields.object("keyval").has("public") ? fields.object("keyval").text("public") : "";
        return new Key(id, type, scheme, value, usable(type, scheme, value));
    }

    /**
     * A key by its own content, with the id that securesystemslib gives it.
     *
     * @return empty for one that is neither Ed25519 nor of P-256
     */
    public static Optional<Key> of(PublicKey key) {
        String type;
        String scheme;
        String value;
        if (key instanceof ECPublicKey ec && isP256(ec)) {
            type = "ecdsa";
            scheme = P256;
            value = BEGIN + "\n" + Base64.getMimeEncoder(PEM_COLUMNS, new byte[] {'\n'}).encodeToString(key.getEncoded()) + "\n" + END + "\n";
        } else if (isEd25519(key.getEncoded())) {
            type = ED25519;
            scheme = ED25519;
            value = HexFormat.of().formatHex(key.getEncoded(), ED25519_INFO.length, ED25519_INFO.length + ED25519_OCTETS);
        } else {
            return Optional.empty();
        }
        byte[] canonical = CanonicalJson.octets(json(type, scheme, value));
        return Optional.of(new Key(Hashes.sha256(canonical), type, scheme, value, key));
    }

    /** As it stands in documents. */
    public Map<String, Object> json() {
        return json(type, scheme, value);
    }

    private static Map<String, Object> json(String type, String scheme, String value) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("keytype", type);
        json.put("scheme", scheme);
        json.put("keyval", new LinkedHashMap<>(Map.of("public", value)));
        return json;
    }

    private static PublicKey usable(String type, String scheme, String value) {
        try {
            if (type.equals(ED25519) && scheme.equals(ED25519)) {
                byte[] octets = HexFormat.of().parseHex(value);
                byte[] info = Arrays.copyOf(ED25519_INFO, ED25519_INFO.length + octets.length);
                System.arraycopy(octets, 0, info, ED25519_INFO.length, octets.length);
                return isEd25519(info) ? KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(info)) : null;
            }
            if ((type.equals("ecdsa") || type.equals(P256)) && scheme.equals(P256)) {
                String text = value.strip();
                if (!text.startsWith(BEGIN) || !text.endsWith(END)) {
                    return null;
                }
                byte[] info = Base64.getMimeDecoder().decode(text.substring(BEGIN.length(), text.length() - END.length()));
                return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(info)) instanceof ECPublicKey ec && isP256(ec) ? ec : null;
            }
            return null;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // One key that makes no sense signs nothing; the others of its role may.
            return null;
        }
    }

    private static boolean isP256(ECPublicKey key) {
        return key.getParams().getOrder().equals(P256_ORDER);
    }

    private static boolean isEd25519(byte[] info) {
        return info.length == ED25519_INFO.length + ED25519_OCTETS && Arrays.equals(info, 0, ED25519_INFO.length, ED25519_INFO, 0, ED25519_INFO.length);
    }

    /** Whether this key has made a signature over some octets. */
    public boolean hasSigned(byte[] octets, byte[] signature) {
        if (key == null) {
            return false;
        }
        try {
            Signature verifier = Signature.getInstance(key instanceof ECPublicKey ? "SHA256withECDSA" : "Ed25519");
            verifier.initVerify(key);
            verifier.update(octets);
            return verifier.verify(signature);
        } catch (SignatureException | InvalidKeyException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has this signature", e);
        }
    }

    /** What makes two keys one, whatever they are called. */
    Object identity() {
        return key == null ? value : HexFormat.of().formatHex(key.getEncoded());
    }

    /** Whether another key is the same key, whatever it is called. */
    public boolean isSame(Key other) {
        return key != null && other.key != null && MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }
}
