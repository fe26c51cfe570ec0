package org.tamanoir.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What is in the files: certificates and a private key as text (RFC 7468), and the keys that are revoked. Every failure is EE-501 and names the file. */
final class Pem {
    private static final int MAX_OCTETS = 1 << 20;
    private static final Pattern KEY = Pattern.compile("-----BEGIN (?:(RSA|EC) )?PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END (?:\\1 )?PRIVATE KEY-----");
    private static final Pattern REVOKED = Pattern.compile("key\\s+([0-9a-f]{64})");
    private static final int KEY_HASH = 1;

    private Pem() {
    }

    /** The octets of a file; null is none. */
    static byte[] octets(Path file) {
        if (file == null) {
            return new byte[0];
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] all = in.readNBytes(MAX_OCTETS + 1);
            if (all.length > MAX_OCTETS) {
                throw refused(file, "is larger than " + MAX_OCTETS + " octets", null);
            }
            return all;
        } catch (IOException e) {
            throw refused(file, "cannot be read: " + AnepException.reason(e), e);
        }
    }

    static List<X509Certificate> certificates(Path file, byte[] octets) {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(octets)).forEach(each -> found.add((X509Certificate) each));
        } catch (CertificateException e) {
            throw refused(file, "holds a broken certificate: " + e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw refused(file, "holds no certificate", null);
        }
        return found;
    }

    /**
     * A private key as PKCS #8, or as many ACME clients write it: PKCS #1 for RSA, SEC 1 (RFC 5915) for elliptic curves.
     *
     * @param certificate whose key it must be
     */
    static PrivateKey key(Path file, byte[] octets, X509Certificate certificate) {
        Matcher text = KEY.matcher(new String(octets, StandardCharsets.ISO_8859_1));
        if (!text.find()) {
            throw refused(file, "holds no private key without a password (BEGIN PRIVATE KEY, BEGIN EC PRIVATE KEY or BEGIN RSA PRIVATE KEY); openssl pkey makes one", null);
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(text.group(2));
            PrivateKey key = KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(text.group(1) == null ? der : pkcs8(der, certificate.getPublicKey().getEncoded())));
            Pairing.check(key, certificate.getPublicKey());
            return key;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw refused(file, "does not hold the key of the certificate", e);
        }
    }

    /** The older forms hold what PKCS #8 (RFC 5208, section 5) wraps with a version and the algorithm, and a public key names the same algorithm. */
    private static byte[] pkcs8(byte[] key, byte[] subjectPublicKeyInfo) {
        ByteBuffer info = ByteBuffer.wrap(subjectPublicKeyInfo);
        enter(info);
        int begin = info.position();
        int end = enter(info);
        byte[] version = {2, 1, 0};
        return tagged(0x30, version, Arrays.copyOfRange(subjectPublicKeyInfo, begin, end), tagged(4, key));
    }

    /** Goes to the content of a DER element. @return where it ends */
    private static int enter(ByteBuffer der) {
        der.get();
        int first = der.get() & 0xFF;
        int length = first < 0x80 ? first : 0;
        for (int i = 0x80; i < first; i++) {
            length = length << 8 | der.get() & 0xFF;
        }
        return der.position() + length;
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        // DER has one form for each length: the shortest.
        int octets = length < 0x80 ? 0 : length < 0x100 ? 1 : 2;
        ByteBuffer der = ByteBuffer.allocate(2 + octets + length).put((byte) tag).put((byte) (octets == 0 ? length : 0x80 | octets));
        for (int i = octets - 1; i >= 0; i--) {
            der.put((byte) (length >> 8 * i));
        }
        Arrays.stream(parts).forEach(der::put);
        return der.array();
    }

    /** SHA-256 of the public keys that are no longer trusted, one {@code key HASH} a line; a comment goes from # to the end of the line. */
    static Set<String> revoked(Path file, byte[] octets) {
        Set<String> keys = new HashSet<>();
        int number = 0;
        for (String line : new String(octets, StandardCharsets.UTF_8).split("\n", -1)) {
            number++;
            String entry = line.replaceFirst("#.*", "").trim();
            Matcher matched = REVOKED.matcher(entry);
            if (matched.matches()) {
                keys.add(matched.group(KEY_HASH));
            } else if (!entry.isEmpty()) {
                throw refused(file, "line " + number + " is not: key SHA-256 of the public key, 64 digits", null);
            }
        }
        return keys;
    }

    /** SHA-256 of a public key as certificates carry it, in hexadecimal. */
    static String hash(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getPublicKey().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static AnepException refused(Path file, String why, Exception cause) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, file + " " + why, cause);
    }

    /** Whether two keys belong together: what one signs, the other verifies. */
    static final class Pairing {
        private static final byte[] TEXT = {1, 2, 3};

        private Pairing() {
        }

        static void check(PrivateKey key, PublicKey of) throws GeneralSecurityException {
            String algorithm = switch (key.getAlgorithm()) {
                case "EC" -> "SHA256withECDSA";
                case "RSA" -> "SHA256withRSA";
                default -> key.getAlgorithm();
            };
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(TEXT);
            byte[] signed = signature.sign();
            signature.initVerify(of);
            signature.update(TEXT);
            if (!signature.verify(signed)) {
                throw new InvalidKeyException("the keys do not belong together");
            }
        }
    }
}
