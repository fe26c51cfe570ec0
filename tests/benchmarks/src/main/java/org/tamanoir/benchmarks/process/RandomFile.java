package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** A file of random octets: nothing can guess or compress it. */
public final class RandomFile {
    private static final int PIECE = 1 << 16;

    private RandomFile() {
    }

    public static void write(Path file, long octets, long seed) {
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
}
