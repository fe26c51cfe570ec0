package org.tamanoir.anep;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.Vectors.Vector;

/**
 * Octets that a coverage-guided fuzzer (Jazzer, on libFuzzer) makes out of the golden vectors. Without more the vectors themselves are
 * run; {@code docs/anep.md} has the command that fuzzes.
 */
class DecodeFuzz {
    static Stream<byte[]> vectors() {
        return Stream.concat(Vectors.good().stream(), Vectors.malformed().stream()).map(Vector::octets);
    }

    @MethodSource("vectors")
    @FuzzTest(maxDuration = "")
    void decode(byte[] octets) {
        DecodeTarget.check(octets);
    }
}
