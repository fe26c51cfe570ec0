package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** A file of octets that nothing can guess or compress, and what makes two of them the same. */
final class TestFile {
    private static final int PIECE = 1 << 16;

    private TestFile() {
    }

    /** Writes one. @param seed the same seed gives the same file */
    static void write(Path file, long octets, long seed) {
        Random random = new Random(seed);
        byte[] piece = new byte[PIECE];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = octets; left > 0; left -= PIECE) {
                random.nextBytes(piece);
                out.write(piece, 0, (int) Math.min(left, PIECE));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** SHA-256 of a file, in hexadecimal digits. */
    static String sha256(Path file) {
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(((DigestInputStream) in).getMessageDigest().digest());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
