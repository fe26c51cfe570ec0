package org.tamanoir.dyram.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.dyram.wire.Vectors.Vector;

/**
 * Payloads that a coverage-guided fuzzer (Jazzer, on libFuzzer) makes out of the golden vectors. Without more the vectors themselves are
 * run; {@code mvn -pl ee-core/dyram -am test -Dfuzz.inputs=10000000} fuzzes.
 */
class DecodeFuzz {
    /** ANEP header and stream option: what comes before the payload. */
    private static final int HEADER = 28;
    private static final int MOST = 1_500;

    static Stream<byte[]> payloads() {
        return Stream.concat(Vectors.good().stream(), Vectors.malformed().stream()).map(Vector::octets)
                .map(octets -> Arrays.copyOfRange(octets, HEADER, octets.length));
    }

    @MethodSource("payloads")
    @FuzzTest(maxDuration = "")
    void decode(byte[] payload) {
        byte[] bounded = payload.length > MOST ? Arrays.copyOf(payload, MOST) : payload;
        for (long session = 0; session < 2; session++) {
            AnyOctetsTest.check(AnyOctetsTest.octets(new PacketBuilder(Codec.TYPE_ID).options(new PacketOptions().stream(session, 7)), bounded));
        }
    }
}
