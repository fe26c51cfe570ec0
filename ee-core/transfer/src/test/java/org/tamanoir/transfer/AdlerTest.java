package org.tamanoir.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.zip.Adler32;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AdlerTest {
    @Property(tries = 500)
    void theSumOfTwoPartsIsThatOfTheWhole(@ForAll @Size(max = 3000) byte[] octets, @ForAll @IntRange(max = 3000) int at) {
        int cut = Math.min(at, octets.length);
        int first = sum(Arrays.copyOf(octets, cut));
        int second = sum(Arrays.copyOfRange(octets, cut, octets.length));
        assertThat(Adler.combine(first, second, octets.length - cut)).isEqualTo(sum(octets));
    }

    /** Wrong: a length that is a multiple of the modulus, or that does not fit 32 bits. */
    @Test
    void aLongPartCountsModuloThePrime() {
        byte[] long1 = new byte[65_521 * 3];
        Arrays.fill(long1, (byte) 0xFF);
        int once = sum(long1);
        int twice = Adler.combine(once, once, long1.length);
        byte[] both = Arrays.copyOf(long1, 2 * long1.length);
        Arrays.fill(both, (byte) 0xFF);
        assertThat(twice).isEqualTo(sum(both));
        int huge = Adler.EMPTY;
        long octets = 0;
        int piece = sum(new byte[1 << 20]);
        for (int i = 0; i < 5000; i++) {
            huge = Adler.combine(huge, piece, 1 << 20);
            octets += 1 << 20;
        }
        assertThat(Adler.combine(Adler.EMPTY, huge, octets)).as("nothing before 5 GB").isEqualTo(huge);
        assertThat(huge).as("5 GB of zeros: a stays 1, b counts them").isEqualTo((int) (octets % 65_521 << 16 | 1));
    }

    @Test
    void leadingZerosAreWritten() {
        assertThat(Adler.text(Adler.EMPTY)).isEqualTo("00000001");
    }

    private static int sum(byte[] octets) {
        Adler32 sum = new Adler32();
        sum.update(octets);
        return (int) sum.getValue();
    }
}
