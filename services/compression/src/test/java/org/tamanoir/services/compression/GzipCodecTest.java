package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.services.compression.CodecTest.encode;
import static org.tamanoir.services.compression.CodecTest.payload;
import static org.tamanoir.services.compression.CodecTest.restore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.services.compression.Codec.BadContent;

/** The format of RFC 1952 against the JDK's own, and what is checked of it. */
class GzipCodecTest {
    private final Codec gzip = new GzipCodec();

    @AfterEach
    void close() {
        gzip.close();
    }

    @Test
    void nothingIsTheEncodingOfNothing() {
        assertThat(restore(gzip, member(new byte[0]), 0)).isEmpty();
        assertThatThrownBy(() -> restore(gzip, new byte[0], 0)).isInstanceOf(BadContent.class);
    }

    @Test
    void gzipIsWhatOthersReadAndWrite() throws IOException {
        byte[] octets = payload(new Random(5), 20_000);
        Arrays.fill(octets, 0, 10_000, (byte) 'a');
        byte[] ours = encode(gzip, octets);
        assertThat(new GZIPInputStream(new ByteArrayInputStream(ours)).readAllBytes()).isEqualTo(octets);
        assertThat(restore(gzip, member(octets), octets.length)).isEqualTo(octets);
    }

    @Test
    void optionalFieldsOfAGzipHeaderAreSkipped() {
        byte[] octets = "fields fields fields fields".getBytes(StandardCharsets.US_ASCII);
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(octets);
        deflater.finish();
        byte[] deflated = new byte[100];
        int size = deflater.deflate(deflated);
        deflater.end();
        CRC32 crc = new CRC32();
        crc.update(octets);
        ByteBuf packed = Unpooled.buffer().writeBytes(new byte[] {0x1F, (byte) 0x8B, 8, 0x1F, 1, 2, 3, 4, 2, 3})
                .writeBytes(new byte[] {3, 0, 9, 9, 9})                         // FEXTRA
                .writeBytes(new byte[] {'n', 0, 'c', 'c', 0})                   // FNAME, FCOMMENT
                .writeBytes(new byte[] {7, 7})                                  // FHCRC
                .writeBytes(deflated, 0, size).writeIntLE((int) crc.getValue()).writeIntLE(octets.length);
        assertThat(restore(gzip, packed, octets.length)).isEqualTo(octets);
        assertThatThrownBy(() -> restore(gzip, packed.slice(0, 24), octets.length)).isInstanceOf(BadContent.class);
        assertThatThrownBy(() -> restore(gzip, packed.writeByte(0), octets.length)).isInstanceOf(BadContent.class)
                .hasMessageContaining("trailer");
    }

    @Test
    void gzipChecksItsChecksumAndItsLength() {
        byte[] octets = new byte[500];
        byte[] encoded = encode(gzip, octets);
        for (int i = 1; i <= GzipFormat.TRAILER; i++) {
            byte[] wrong = encoded.clone();
            wrong[wrong.length - i] ^= 1;
            assertThatThrownBy(() -> restore(gzip, wrong, 500)).hasMessageContaining("does not match");
        }
    }

    private static byte[] member(byte[] octets) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(octets);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }
}
