package org.tamanoir.tests;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Files for tests to send, and what identifies them. */
final class TestFile {
    private static final int PIECE = 64 << 10;

    private TestFile() {
    }

    /** Writes a file of which half can be compressed: pieces of 64 KB, by turns noise and numbered lines of text. */
    static Path halfCompressible(Path file, long size) throws IOException {
        Random random = new Random(size);
        byte[] noise = new byte[PIECE];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (long at = 0; at < size; at += PIECE) {
                int length = (int) Math.min(PIECE, size - at);
                if (at / PIECE % 2 == 0) {
                    random.nextBytes(noise);
                    out.write(noise, 0, length);
                } else {
                    byte[] line = String.format("%015d\n", at).getBytes(StandardCharsets.US_ASCII);
                    for (int i = 0; i < length; i += line.length) {
                        out.write(line, 0, Math.min(line.length, length - i));
                    }
                }
            }
        }
        return file;
    }

    static String sha256(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return sha256(in);
        }
    }

    static String sha256(InputStream in) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] block = new byte[PIECE];
            for (int n = in.read(block); n >= 0; n = in.read(block)) {
                digest.update(block, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
