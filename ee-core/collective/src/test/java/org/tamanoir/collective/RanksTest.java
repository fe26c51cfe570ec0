package org.tamanoir.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RanksTest {
    @Test
    void setsOfRanksAreAddedCutAndCompared() {
        Ranks some = Ranks.of(0, 1, 2, 3, 7);
        assertThat(some.contains(3)).isTrue();
        assertThat(some.contains(0)).isTrue();
        assertThat(some.contains(4)).isFalse();
        assertThat(some.contains(-1)).isFalse();
        assertThat(some.stream()).containsExactly(0, 1, 2, 3, 7);
        assertThat(some.without(Ranks.below(2))).isEqualTo(Ranks.of(2, 3, 7)).hasSameHashCodeAs(Ranks.of(2, 3, 7)).isNotEqualTo(Ranks.of(2, 3)).isNotEqualTo("2-3, 7");
        assertThat(some.hashCode()).isNotEqualTo(Ranks.of(5).hashCode());
        assertThat(some.and(Ranks.of(3, 4, 7))).isEqualTo(Ranks.of(3, 7));
        assertThat(some.intersects(Ranks.of(7))).isTrue();
        assertThat(some.intersects(Ranks.of(4, 5))).isFalse();
        some.add(Ranks.of(4));
        assertThat(some.count()).isEqualTo(6);
        assertThat(some.first()).isZero();
        assertThat(some.end()).isEqualTo(8);
        assertThat(Ranks.none().isEmpty()).isTrue();
        assertThat(some.isEmpty()).isFalse();
        assertThat(Ranks.none().first()).isEqualTo(-1);
    }

    @Test
    void theyAreShownAsRunsAndOfManyTheFirst() {
        assertThat(Ranks.of(0, 1, 2, 3, 7)).hasToString("0-3, 7");
        assertThat(Ranks.none()).hasToString("");
        String odd = Ranks.of(IntStream.range(0, 1000).map(i -> 2 * i + 1).toArray()).toString();
        assertThat(odd).startsWith("1, 3, 5, ").endsWith(", …").hasSizeBetween(100, 120);
        assertThat(Ranks.of(IntStream.range(0, 27).map(i -> 2 * i + 1).toArray()).toString()).endsWith("51, 53");
    }
}
