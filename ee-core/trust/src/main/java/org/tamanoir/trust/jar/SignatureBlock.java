package org.tamanoir.trust.jar;

import java.io.ByteArrayInputStream;
import java.security.Key;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;

/**
 * Looks at a signature block (CMS SignedData, RFC 5652) before the JDK verifies it: verifying with some keys takes minutes, and whoever
 * offers a bundle chooses the keys.
 */
final class SignatureBlock {
    /** id-dsa, 1.2.840.10040.4.1, RFC 3279 section 2.3.2: nobody needs it, and its keys may be of any size. */
    private static final byte[] DSA = HexFormat.of().parseHex("2a8648ce380401");
    /** dsa of OIW, 1.3.14.3.2.12, and dsaWithSHA1 beside it. */
    private static final byte[] OLD_DSA = HexFormat.of().parseHex("2b0e03020c");
    /** id-aa-timeStampToken, RFC 3161 appendix A: a whole second signature, by whomever. */
    private static final byte[] TIME_STAMP = HexFormat.of().parseHex("2a864886f70d010910020e");

    private SignatureBlock() {
    }

    /** @param name of the signature file that it belongs to */
    static void check(String name, byte[] block) {
        if (!DerShape.isOneValue(block)) {
            throw Refusal.because("the signature block of " + Refusal.quote(name) + " is broken: it is no DER");
        }
        if (contains(block, TIME_STAMP)) {
            throw Refusal.because(Refusal.quote(name) + " carries a time stamp of an authority, which is not supported: sign without -tsa");
        }
        if (contains(block, DSA) || contains(block, OLD_DSA)) {
            throw Refusal.because(Refusal.quote(name) + " is signed with DSA, which is not supported");
        }
        Collection<? extends Certificate> certificates = certificates(name, block);
        if (certificates.isEmpty() || certificates.size() > Limits.CERTIFICATES) {
            throw Refusal.because(Refusal.quote(name) + " carries " + certificates.size() + " certificates; 1 to " + Limits.CERTIFICATES
                    + " are allowed");
        }
        for (Certificate certificate : certificates) {
            Strength.weakness(key(name, certificate)).ifPresent(weakness -> {
                throw Refusal.because(Refusal.quote(name) + " proves nothing: it uses " + weakness);
            });
        }
    }

    private static Collection<? extends Certificate> certificates(String name, byte[] block) {
        try {
            return CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(block));
        } catch (CertificateException | RuntimeException e) {
            throw Refusal.because("the signature block of " + Refusal.quote(name) + " is broken", e);
        }
    }

    private static Key key(String name, Certificate certificate) {
        if (certificate instanceof X509Certificate x509) {
            return x509.getPublicKey();
        }
        throw Refusal.because("the signature block of " + Refusal.quote(name) + " is broken");
    }

    private static boolean contains(byte[] all, byte[] part) {
        for (int i = 0; i <= all.length - part.length; i++) {
            if (Arrays.equals(all, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }
}
