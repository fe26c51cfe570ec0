package org.tamanoir.anep.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.fuzz.Vectors.Vector;

/**
 * Octets that a coverage-guided fuzzer (Jazzer, on libFuzzer) makes out of the golden vectors. Without more the vectors themselves are
 * run; {@code docs/anep.md} has the command that fuzzes.
 */
class DecodeFuzz {
    static Stream<byte[]> vectors() {
        return Stream.concat(Vectors.good().stream(), Vectors.malformed().stream()).map(Vector::octets);
    }

    /** Octets: room for the longest text of an error and other options beside it. What is longer costs time and only repeats itself. */
    private static final int MOST = 1200;

    @MethodSource("vectors")
    @FuzzTest(maxDuration = "")
    void decode(byte[] octets) {
        DecodeTarget.check(octets.length > MOST ? Arrays.copyOf(octets, MOST) : octets);
    }
}
