package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;

class StreamKindTest {
    private static final int PACKET = 32_768;

    /** Wrong: content that a compressor passes as it came, which would measure a service that does nothing, or one that costs it nothing. */
    @Test
    void whatIsToBeCompressedCanBeAndTheOtherCannot() {
        assertThat(ratio(StreamKind.COMPRESSION)).isBetween(2.3, 3.0);
        assertThat(ratio(StreamKind.MONITORING)).isLessThan(1.01);
    }

    @Test
    void bothEndsMakeTheSameOctets() {
        for (StreamKind kind : StreamKind.values()) {
            ByteBuffer one = StreamPackets.block(kind, PACKET);
            assertThat(one).isEqualTo(StreamPackets.block(kind, PACKET)).isNotEqualTo(StreamPackets.block(kind, PACKET / 2));
            assertThat(one.getShort(2) & 0xFFFF).as("Type ID").isEqualTo(kind.typeId());
        }
    }

    private static double ratio(StreamKind kind) {
        byte[] payload = new byte[PACKET - Anep.HEADER_SIZE];
        StreamPackets.block(kind, PACKET).get(Anep.HEADER_SIZE, payload);
        Deflater gzip = new Deflater(6);
        gzip.setInput(payload);
        gzip.finish();
        int length = gzip.deflate(new byte[2 * PACKET]);
        gzip.end();
        return (double) payload.length / length;
    }
}
