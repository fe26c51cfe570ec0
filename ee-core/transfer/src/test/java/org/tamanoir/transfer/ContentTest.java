package org.tamanoir.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("seeded")
class ContentTest {
    @TempDir
    private Path directory;

    /** Wrong: a checksum that leaves holes out, and what was in a file before where a hole shall be. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = {1, 2, 3})
    void withHolesItIsTheSame(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            byte[] octets = new byte[1 + random.nextInt(300_000)];
            random.nextBytes(octets);
            for (int hole = random.nextInt(6); hole > 0; hole--) {
                int from = random.nextInt(octets.length);
                Arrays.fill(octets, from, from + random.nextInt(octets.length - from + 1), (byte) 0);
            }
            Content dense = Content.of(ByteBuffer.wrap(octets));
            Content sparse = Sparse.of(ByteBuffer.wrap(octets));
            assertThat(sparse.length()).isEqualTo(octets.length);
            assertThat(sparse.crc()).isEqualTo(dense.crc());
            assertThat(sparse.adler()).isEqualTo(dense.adler());
            Path file = directory.resolve("file");
            byte[] before = new byte[random.nextInt(octets.length + 1)];
            random.nextBytes(before);
            Files.write(file, before);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                sparse.write(channel, 0);
            }
            byte[] after = Arrays.copyOf(Files.readAllBytes(file), octets.length);
            assertThat(Arrays.equals(after, octets)).as("seed %d, %d", seed, i).isTrue();
        }
    }

    /** EE-408. Wrong: octets that are written elsewhere, or memory and time for what nobody has sent. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'' | 0", "0 | 0", "0,0 | 0", "-1,0 | 0", "4,-1 | 0", "4,1 | 0", "4,2,0,1 | 1", "4,1,0,4 | 3", "4,1,0,4 | 5", "4,1,1,4 | 4", "4,1,-1,2 | 2", "4,1,0,0 | 0", "4,1,0,-2 | 0",
        "8,2,4,2,0,2 | 4", "8,2,0,4,3,2 | 6", "67108865,0 | 0", "2147483647,1,2147483640,8 | 8", "4,2147483647,0,4 | 4"})
    void whatNoExtentHasIsRefused(String words, int octets) {
        ByteBuffer body = ByteBuffer.allocate(100);
        for (String word : words == null || words.isEmpty() ? new String[0] : words.split(",")) {
            body.putInt(Integer.parseInt(word));
        }
        body.position(body.position() + octets).flip();
        assertThatThrownBy(() -> Content.sparse(body)).hasMessageContaining("EE-408");
    }

    @Test
    void aHoleMayBeAll() {
        ByteBuffer body = ByteBuffer.allocate(8).putInt(Extent.LARGEST).putInt(0).flip();
        Content hole = Content.sparse(body);
        assertThat(hole.endsWithHole()).isTrue();
        assertThat(hole.adler()).isEqualTo(Content.of(ByteBuffer.allocate(Extent.LARGEST)).adler());
    }

    /** Wrong: a part that is missing, or too short to be worth its record in a journal. */
    @ParameterizedTest
    @CsvSource({"524288, 4, 4", "1, 4, 1", "65536, 4, 1", "65537, 4, 2", "131073, 2, 2", "500000, 7, 7", "500000, 8, 8", "500000, 9, 8"})
    void partsAreTheExtent(int length, int most, int expected) {
        List<Extent> parts = new Extent(77, length).parts(most).toList();
        assertThat(parts).hasSize(expected);
        long at = 77;
        for (Extent part : parts) {
            assertThat(part.offset()).isEqualTo(at);
            at = part.end();
        }
        assertThat(at).isEqualTo(77L + length);
    }
}
