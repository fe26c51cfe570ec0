package org.tamanoir.trust.jar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/** A manifest, or a signature file, which has the same form. */
final class ManifestText {
    /** Digests that count; SHA-1 and MD5 can be forged. */
    private static final List<String> DIGESTS = List.of("SHA-256", "SHA-384", "SHA-512");

    private final String name;
    private final byte[] octets;
    private final Manifest manifest;

    private ManifestText(String name, byte[] octets, Manifest manifest) {
        this.name = name;
        this.octets = octets;
        this.manifest = manifest;
    }

    static ManifestText read(String name, byte[] octets) {
        ManifestLines.check(name, octets);
        try {
            return new ManifestText(name, octets, new Manifest(new ByteArrayInputStream(octets)));
        } catch (IOException | IllegalArgumentException e) {
            throw Refusal.because(Refusal.quote(name) + " is malformed: " + e.getMessage(), e);
        }
    }

    /** Entries that this says a digest of. */
    List<String> signedNames() {
        return manifest.getEntries().entrySet().stream().filter(each -> hasDigest(each.getValue())).map(Map.Entry::getKey).toList();
    }

    private static boolean hasDigest(Attributes attributes) {
        return DIGESTS.stream().anyMatch(digest -> attributes.getValue(digest + "-Digest") != null);
    }

    /**
     * For a signature file: checks that it covers the manifest to the last octet. A signature that covers its sections only, as the JDK
     * also takes, would let a stranger add sections.
     */
    void checkCovers(ManifestText other) {
        Attributes main = manifest.getMainAttributes();
        boolean covered = false;
        for (String digest : DIGESTS) {
            String said = main.getValue(digest + "-Digest-Manifest");
            if (said != null && !said.equals(Base64.getEncoder().encodeToString(other.digest(digest)))) {
                throw Refusal.because(other.name + " has been changed: " + Refusal.quote(name) + " signs another one");
            }
            covered |= said != null;
        }
        if (!covered) {
            throw Refusal.because(Refusal.quote(name) + " does not sign the whole " + other.name + " with SHA-256, SHA-384 or SHA-512");
        }
    }

    byte[] digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm).digest(octets);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
