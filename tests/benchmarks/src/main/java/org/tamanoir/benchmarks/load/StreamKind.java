package org.tamanoir.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/** What streams ask nodes for, and what they carry. */
public enum StreamKind {
    /** The service monitoring; octets that cannot be guessed. */
    MONITORING(0x5402) {
        @Override
        void fill(ByteBuffer block, SplittableRandom random) {
            for (int i = 0; i < block.capacity(); i++) {
                block.put(i, (byte) random.nextInt());
            }
        }
    },
    /** Some module in WebAssembly; what monitoring gets. */
    MODULE(0x5500) {
        @Override
        void fill(ByteBuffer block, SplittableRandom random) {
            MONITORING.fill(block, random);
        }
    },
    /** The service compression; lines of measured values, of which gzip makes one octet of 2.6. */
    COMPRESSION(0x5403) {
        @Override
        void fill(ByteBuffer block, SplittableRandom random) {
            int number = 1_000_000;
            for (int at = 0; at < block.capacity();) {
                byte[] line = String.format(Locale.ROOT, "%d,%.3f,%.3f,%.3f,%s\n", number++, 100 * random.nextDouble(), 2 * random.nextDouble() - 1,
                        10 + 20 * random.nextDouble(), random.nextInt(5) < 3 ? "ok" : "noisy").getBytes(StandardCharsets.US_ASCII);
                int length = Math.min(line.length, block.capacity() - at);
                block.put(at, line, 0, length);
                at += length;
            }
        }
    };

    private final int typeId;

    StreamKind(int typeId) {
        this.typeId = typeId;
    }

    /** Of the service (DESIGN section 3). */
    public int typeId() {
        return typeId;
    }

    /** Fills a block from 0 to its capacity; the same random numbers give the same octets. */
    abstract void fill(ByteBuffer block, SplittableRandom random);
}
