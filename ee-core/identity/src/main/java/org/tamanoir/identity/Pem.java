package org.tamanoir.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
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
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
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

    /** @param certificate whose key it must be */
    static PrivateKey key(Path file, byte[] octets, X509Certificate certificate) {
        Matcher text = KEY.matcher(new String(octets, StandardCharsets.ISO_8859_1));
        if (!text.find()) {
            throw refused(file, "holds no private key of the form BEGIN PRIVATE KEY (PKCS #8, without a password); openssl pkcs8 -topk8 -nocrypt makes one", null);
        }
        try {
            PrivateKey key = KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.group(1))));
            Pairing.check(key, certificate.getPublicKey());
            return key;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw refused(file, "does not hold the key of the certificate", e);
        }
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
}
