package org.tamanoir.anep.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import com.code_intelligence.jazzer.mutation.annotation.WithLength;
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

    /** Longer than the longest text of an error and every option beside it: what is longer still only repeats itself. */
    private static final int MOST = 1400;

    @MethodSource("vectors")
    @FuzzTest(maxDuration = "")
    void decode(byte @NotNull @WithLength(max = MOST) [] octets) {
        DecodeTarget.check(octets);
    }
}
