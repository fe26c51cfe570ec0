package org.tamanoir.trust.sign;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import jdk.security.jarsigner.JarSignerException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.jar.SignedJar;

/**
 * Signs bundles. A bundle that was signed before loses its old signatures: it has one publisher. Signing one bundle twice with one key gives
 * the same file but for the signature block, which holds the time of signing (and for EC a random number).
 */
public final class BundleSigner {
    private static final String SIGNER_NAME = "TAMANOIR";

    private final SigningKey key;

    public BundleSigner(SigningKey key) {
        this.key = key;
    }

    /**
     * Signs a bundle. The new file has its name when it is whole and on the disk, and not before: whoever reads it meanwhile reads the old
     * one.
     *
     * @param to may be the same file; what is there is replaced
     * @return whom the bundle is from now
     * @throws AnepException EE-407 if there is no such file, EE-314 if it cannot be signed so that the signature says all, EE-409 if a file cannot be read or written,
     *     EE-504 if this Java has no signer
     */
    public Publisher sign(Path bundle, Path to) {
        if (!Files.isRegularFile(bundle)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no file " + bundle);
        }
        // To where the link leads, if it is one: the link stays.
        Path target = Files.isSymbolicLink(to) ? resolved(to) : to.toAbsolutePath();
        Path plain = null;
        Path signed = null;
        try {
            plain = Files.createTempFile(target.getParent(), ".sign", ".plain");
            signed = Files.createTempFile(target.getParent(), ".sign", ".jar");
            JarCopy.withoutSignatures(bundle, plain);
            write(plain, signed);
            JarCopy.withTimesOf(signed, plain, bundle);
            check(bundle, plain);
            finish(plain, target, bundle);
            return key.publisher();
        } catch (ZipException e) {
            throw new AnepException(ErrorCode.TAMPERED, "the bundle " + bundle + " cannot be signed: it is no zip archive, or a broken one: "
                    + e.getMessage(), e);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the bundle " + bundle + " cannot be signed: " + e, e);
        } finally {
            delete(plain);
            delete(signed);
        }
    }

    private void write(Path from, Path to) throws IOException {
        try (ZipFile zip = new ZipFile(from.toFile()); OutputStream out = new BufferedOutputStream(Files.newOutputStream(to))) {
            new JarSigner.Builder(key.key(), key.path()).digestAlgorithm("SHA-256").signerName(SIGNER_NAME).build().sign(zip, out);
        } catch (JarSignerException e) {
            throw new IOException(e.getCause() == null ? e : e.getCause());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        } catch (NoClassDefFoundError e) {
            throw new AnepException(ErrorCode.MISSING_TOOL, "this Java cannot sign: it lacks the module jdk.jartool; run the command with a "
                    + "JDK of version 17 or newer", e);
        }
    }

    /** What is given away passes the check that everybody else makes of it. */
    private void check(Path bundle, Path signed) throws IOException {
        try {
            if (!SignedJar.read(signed).signers().equals(List.of(key.chain()))) {
                throw new IOException("the signature does not carry the certificates of " + key);
            }
        } catch (AnepException e) {
            throw new AnepException(e.code(), "the bundle " + bundle + " cannot be signed so that it would be taken: " + e.text(), e);
        }
    }

    private static void finish(Path file, Path target, Path like) throws IOException {
        Set<PosixFilePermission> rights = Files.exists(target) ? Files.getPosixFilePermissions(target) : Files.getPosixFilePermissions(like);
        Files.setPosixFilePermissions(file, rights);
        Durable.force(file);
        Durable.rename(file, target);
    }

    private static Path resolved(Path link) {
        try {
            return link.toRealPath();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the link " + link + " leads nowhere: " + e, e);
        }
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the temporary file " + file + " cannot be removed: " + e, e);
        }
    }
}
