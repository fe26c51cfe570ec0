package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.wire.Losses.Range;

/** Ranges of packets, and which of them are of a session. */
class LossesTest {
    private static SessionTerms terms(String group, int port, long packets, int packetSize, long rate) {
        return new SessionTerms(new InetSocketAddress(group, port), 100, packets, packetSize, rate, false, 5);
    }

    @Test
    void packetsInARowWithOneRankAreARange() {
        Losses.Builder builder = new Losses.Builder();
        assertThat(builder.isEmpty()).isTrue();
        builder.add(7, 0);
        assertThat(builder.isEmpty()).isFalse();
        builder.add(8, 0);
        builder.add(9, 1);
        builder.add(11, 300);
        builder.add(12, 255);
        List<Losses> all = builder.take();
        assertThat(all).containsExactly(new Losses(List.of(new Range(7, 2, 0), new Range(9, 1, 1), new Range(11, 2, 255))));
        assertThat(all.get(0).packets()).isEqualTo(5);
        assertThat(builder.isEmpty()).isTrue();
        assertThat(builder.take()).isEmpty();
    }

    @Test
    void aRangeAndAListHaveAnEnd() {
        Losses.Builder builder = new Losses.Builder();
        for (int i = 0; i <= Losses.MOST_OF_A_RANGE; i++) {
            builder.add(i, 0);
        }
        assertThat(builder.take()).containsExactly(new Losses(List.of(new Range(0, Losses.MOST_OF_A_RANGE, 0), new Range(Losses.MOST_OF_A_RANGE, 1, 0))));
        for (int i = 0; i <= Losses.MOST; i++) {
            builder.add(2L * i, 0);
        }
        assertThat(builder.take()).extracting(Losses::packets).containsExactly((long) Losses.MOST, 1L);
    }

    @Test
    void noRangeIsEmptyOrTooLong() {
        assertThat(Losses.of(3, 255).ranges()).containsExactly(new Range(3, 1, 255));
        for (int[] wrong : new int[][] {{0, 0}, {0x10000, 0}, {1, -1}, {1, 256}}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Range(1, wrong[0], wrong[1]));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new Losses(List.of()));
    }

    @Test
    void aSessionHasItsOwnPacketsOnly() {
        SessionTerms terms = terms("239.1.2.3", 5, 10, 1000, 0);
        assertThat(List.of(99L, 100L, 109L, 110L)).extracting(terms::contains).containsExactly(false, true, true, false);
        assertThat(terms.contains(new Range(100, 10, 0))).isTrue();
        assertThat(terms.contains(new Range(100, 11, 0))).isFalse();
        assertThat(terms.contains(new Range(99, 1, 0))).isFalse();
        assertThat(terms.contains(new Range(110, 1, 0))).isFalse();
        assertThat(terms.index(103)).isEqualTo(3);
        assertThat(terms.sequence(3)).isEqualTo(103);
        assertThat(terms.started(true)).isNotEqualTo(terms).isEqualTo(new SessionTerms(terms.group(), 100, 10, 1000, 0, true, 5));
    }

    /** Whoever announces a session makes nodes send to its group. */
    @Test
    void noSessionSendsToSomebodysAddressOrWithoutBounds() {
        terms("239.1.2.3", 5, SessionTerms.MOST_PACKETS, SessionTerms.MOST_PACKET, 0);
        terms("ff02::1:2", 5, 1, 1, 1);
        assertThatIllegalArgumentException().isThrownBy(() -> terms("192.0.2.1", 5, 1, 1, 1)).withMessageContaining("is no group");
        assertThatIllegalArgumentException().isThrownBy(() -> terms("224.0.0.5", 5, 1, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 0, 1, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 5, 0, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 5, SessionTerms.MOST_PACKETS + 1, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 5, 1, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 5, 1, SessionTerms.MOST_PACKET + 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> terms("239.1.2.3", 5, 1, 1, -1));
    }
}
