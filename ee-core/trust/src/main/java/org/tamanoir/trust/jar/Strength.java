package org.tamanoir.trust.jar;

import java.security.Key;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.util.Locale;
import java.util.Optional;

/** Keys and algorithms that are strong enough to say who somebody is (NIST SP 800-131A rev. 2). */
public final class Strength {
    /** Bits; 112 bits of security. */
    private static final int MIN_RSA = 2_048;
    /** Bits; larger ones take long to verify with, and the JDK takes no larger ones. */
    private static final int MAX_RSA = 16_384;
    /** Bits of the field. */
    private static final int MIN_EC = 224;

    private Strength() {
    }

    /** What is wrong with a key, as part of a sentence; empty if nothing is. */
    public static Optional<String> weakness(Key key) {
        if (key instanceof RSAKey rsa) {
            int bits = rsa.getModulus().bitLength();
            return bits >= MIN_RSA && bits <= MAX_RSA ? Optional.empty()
                    : Optional.of("an RSA key of " + bits + " bits; " + MIN_RSA + " to " + MAX_RSA + " are allowed");
        }
        if (key instanceof ECKey ec) {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            return bits >= MIN_EC ? Optional.empty() : Optional.of("an elliptic curve of " + bits + " bits; " + MIN_EC + " is the least");
        }
        return key instanceof EdECKey ? Optional.empty() : Optional.of("a key of the kind " + key.getAlgorithm());
    }

    /** What is wrong with a certificate: its key, or the algorithm that it is signed with; empty if nothing is. */
    public static Optional<String> weakness(X509Certificate certificate) {
        String algorithm = certificate.getSigAlgName();
        String upper = algorithm.toUpperCase(Locale.ENGLISH).replace("-", "");
        if (upper.contains("MD2") || upper.contains("MD5") || upper.contains("SHA1")) {
            return Optional.of("a certificate signed with " + algorithm + ", which can be forged");
        }
        return weakness(certificate.getPublicKey());
    }
}
