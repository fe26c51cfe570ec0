package org.tamanoir.trust.jar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.tamanoir.anep.AnepException;

/**
 * A jar that is what was signed, or that nobody has signed.
 *
 * <p>Intact means: the archive can be read in one way only ({@link Archive}); each signature covers the manifest to the last octet and
 * every entry but the manifest and the signatures themselves; every entry that the manifest names is there; nothing else is, but the
 * directories of the entries; and the manifest and the signatures come first.
 *
 * @param signers each one's certificate and those of the authorities above it, as the jar gives them: nothing but the signature has been
 *                checked of them; empty if nobody has signed the jar
 * @param content SHA-256 of the manifest of a signed jar, 64 lower-case hexadecimal digits, which stands for the names and the content of
 *                all its entries: it stays the same when the jar is packed again; null if nobody has signed the jar
 */
public record SignedJar(List<List<X509Certificate>> signers, String content) {
    /**
     * Reads a jar and verifies its signatures.
     *
     * @throws AnepException EE-314 if it is not intact; the message names the entry
     * @throws IOException   if the file cannot be read at all
     */
    public static SignedJar read(Path file) throws IOException {
        Archive archive = Archive.read(file);
        List<SignatureFiles.Signature> signatures = SignatureFiles.signatures(archive.signing());
        if (signatures.isEmpty()) {
            return new SignedJar(List.of(), null);
        }
        byte[] octets = archive.signing().get(JarFile.MANIFEST_NAME);
        if (octets == null) {
            throw Refusal.because("it has signatures and no manifest");
        }
        checkEntries(archive);
        ManifestText manifest = ManifestText.read(JarFile.MANIFEST_NAME, octets);
        checkComplete(archive, manifest);
        for (SignatureFiles.Signature signature : signatures) {
            SignatureBlock.check(signature.file(), signature.block());
            ManifestText.read(signature.file(), signature.text()).checkCovers(manifest);
        }
        Set<CodeSigner> signers = verify(file, archive);
        if (signers.size() < signatures.size()) {
            throw Refusal.because("one of its " + signatures.size() + " signatures signs nothing");
        }
        return new SignedJar(signers.stream().map(SignedJar::chain).toList(), HexFormat.of().formatHex(manifest.digest("SHA-256")));
    }

    public boolean isSigned() {
        return !signers.isEmpty();
    }

    /** Whether an entry of this name is part of a signature, and so is not signed itself. */
    public static boolean isSignature(String name) {
        return SignatureFiles.isSigning(name) && !name.equals(JarFile.MANIFEST_NAME);
    }

    /** Nobody signs directories: only those of entries are taken. And a reader from the front must meet the signatures first. */
    private static void checkEntries(Archive archive) {
        Set<String> parents = new HashSet<>();
        boolean signing = true;
        for (ArchiveEntry entry : archive.entries()) {
            String name = entry.name();
            if (!entry.isDirectory()) {
                for (int slash = name.lastIndexOf('/'); slash > 0 && parents.add(name.substring(0, slash + 1));) {
                    slash = name.lastIndexOf('/', slash - 1);
                }
                if (SignatureFiles.isSigning(name) && !signing) {
                    throw Refusal.because(entry.quoted() + " stands behind entries that it should stand before");
                }
                signing = SignatureFiles.isSigning(name);
            }
        }
        for (ArchiveEntry entry : archive.entries()) {
            if (entry.isDirectory() && !parents.contains(entry.name())) {
                throw Refusal.because("nobody has signed the empty directory " + entry.quoted());
            }
        }
    }

    private static void checkComplete(Archive archive, ManifestText manifest) {
        Set<String> missing = new HashSet<>(manifest.signedNames());
        archive.entries().forEach(entry -> missing.remove(entry.name()));
        if (!missing.isEmpty()) {
            throw Refusal.because("entry " + Refusal.quote(Collections.min(missing)) + ", which was signed, is missing");
        }
    }

    /** Has the JDK verify every entry to its end. */
    private static Set<CodeSigner> verify(Path file, Archive archive) throws IOException {
        String current = JarFile.MANIFEST_NAME;
        Set<CodeSigner> all = null;
        try (JarFile jar = new JarFile(file.toFile(), true)) {
            byte[] buffer = new byte[16 << 10];
            for (ArchiveEntry each : archive.entries()) {
                if (each.isDirectory() || SignatureFiles.isSigning(each.name())) {
                    continue;
                }
                current = each.name();
                JarEntry entry = jar.getJarEntry(current);
                try (InputStream in = jar.getInputStream(entry)) {
                    while (in.read(buffer) >= 0) {
                        // The last octet read has the digest compared.
                    }
                }
                all = sameSigners(each, entry.getCodeSigners(), all);
            }
        } catch (SecurityException e) {
            throw Refusal.because("entry " + Refusal.quote(current) + ": " + Refusal.quote(e.getMessage()), e);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | NullPointerException e) {
            throw Refusal.because("its signature is broken: " + Refusal.quote(e.getMessage()), e);
        }
        if (all == null) {
            throw Refusal.because("it has signatures and no entries");
        }
        return all;
    }

    private static Set<CodeSigner> sameSigners(ArchiveEntry entry, CodeSigner[] found, Set<CodeSigner> others) {
        if (found == null || found.length == 0) {
            throw Refusal.because("entry " + entry.quoted()
                    + " is not signed, or not with an algorithm and a certificate that may sign");
        }
        Set<CodeSigner> signers = new HashSet<>(Arrays.asList(found));
        if (others != null && !others.equals(signers)) {
            throw Refusal.because("entry " + entry.quoted() + " is not signed by the same publishers as those before it");
        }
        return signers;
    }

    private static List<X509Certificate> chain(CodeSigner signer) {
        return signer.getSignerCertPath().getCertificates().stream().map(X509Certificate.class::cast).toList();
    }
}
