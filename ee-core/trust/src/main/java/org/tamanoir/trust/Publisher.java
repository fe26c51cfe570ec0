package org.tamanoir.trust;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;

/**
 * Who signed a bundle.
 *
 * @param name  the subject of the certificate, RFC 2253
 * @param key   SHA-256 of the public key as it stands in the certificate (SubjectPublicKeyInfo), 64 lower-case hexadecimal digits
 * @param until when the certificate expires, or one of those that it relies on if that is sooner
 * @param label null for one who is trusted. For a guest what names of that guest's services begin with, of {@link org.tamanoir.anep.ServiceName#LABEL}; empty if the
 *              certificate gives none
 */
public record Publisher(String name, String key, Instant until, String label) {
    /** One who is trusted. */
    public Publisher(String name, String key, Instant until) {
        this(name, key, until, null);
    }

    /** The one whom a certificate is for, as one who is trusted. */
    public static Publisher of(X509Certificate certificate) {
        return new Publisher(printable(certificate.getSubjectX500Principal().getName(X500Principal.RFC2253)), key(certificate),
                certificate.getNotAfter().toInstant());
    }

    /** The same, until another time. */
    Publisher until(Instant sooner) {
        return new Publisher(name, key, sooner, label);
    }

    /** Whether it has quotas instead of trust. */
    public boolean isGuest() {
        return label != null;
    }

    /** The same as a guest, with the label that the certificate gives. */
    static Publisher guest(X509Certificate certificate) {
        Publisher same = of(certificate);
        return new Publisher(same.name, same.key, same.until, GuestLabel.of(certificate.getSubjectX500Principal()));
    }

    /** As people are told of it. */
    @Override
    public String toString() {
        return name + ", key " + key;
    }

    /** Whoever makes a certificate chooses the name: nothing in it moves the cursor of whoever reads it. */
    static String printable(String text) {
        return text == null ? "" : text.replaceAll("[\\p{Cntrl}\\p{Cf}]", "?");
    }

    private static String key(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getPublicKey().getEncoded()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
