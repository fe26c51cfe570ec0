package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** A sum that goes on is the sum of everything at once. */
class Crc32cTest {
    /** The check value of the catalogue of CRCs, for the nine digits. */
    private static final int CHECK = 0xE3069283;

    private static int whole(ByteBuffer octets) {
        CRC32C sum = new CRC32C();
        sum.update(octets.duplicate());
        return (int) sum.getValue();
    }

    @Test
    void goesOnWhereverItIsCut() {
        ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes());
        for (int cut = 0; cut <= 9; cut++) {
            int first = whole(digits.slice(0, cut));
            ByteBuffer rest = digits.slice(cut, 9 - cut);
            assertThat(Crc32c.append(first, rest)).as("cut at %d", cut).isEqualTo(CHECK);
            assertThat(rest.hasRemaining()).as("they are read").isFalse();
        }
    }

    @Test
    void putsPartsOfAnyLengthTogether() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            byte[] octets = new byte[random.nextInt(70_000)];
            random.nextBytes(octets);
            ByteBuffer all = ByteBuffer.wrap(octets);
            int cut = random.nextInt(octets.length + 1);
            int first = whole(all.slice(0, cut));
            assertThat(Crc32c.combine(first, whole(all.slice(cut, octets.length - cut)), octets.length - cut)).isEqualTo(whole(all));
        }
        // Further than any buffer goes: a gibibyte of zeros, doubled from a mebibyte.
        byte[] zeros = new byte[1 << 20];
        int sum = whole(ByteBuffer.wrap(zeros));
        CRC32C expected = new CRC32C();
        for (int i = 0; i < 1 << 10; i++) {
            expected.update(zeros);
        }
        for (long length = 1 << 20; length < 1 << 30; length *= 2) {
            sum = Crc32c.combine(sum, sum, length);
        }
        assertThat(sum).isEqualTo((int) expected.getValue());
    }

    @Test
    void oneObjectServesSumAfterSum() {
        Crc32c sum = new Crc32c();
        ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes());
        sum.update(digits.duplicate());
        assertThat(sum.value()).as("from nothing").isEqualTo(CHECK);
        for (int cut = 1; cut <= 9; cut++) {
            sum.restart(whole(digits.slice(0, cut)));
            digits.position(cut);
            while (digits.hasRemaining()) {
                ByteBuffer one = digits.slice(digits.position(), 1);
                sum.update(one);
                digits.position(digits.position() + 1);
            }
            digits.clear();
            assertThat(sum.value()).as("from octet %d on", cut).isEqualTo(CHECK);
        }
        sum.restart(0);
        assertThat(sum.value()).isZero();
    }
}
