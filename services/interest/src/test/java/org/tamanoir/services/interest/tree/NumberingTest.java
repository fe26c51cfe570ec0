package org.tamanoir.services.interest.tree;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumberingTest {
    private final Numbering numbers = new Numbering();

    @Test
    void whatIsMissingIsCountedAndWhatIsLateIsKnown() {
        assertThat(numbers.came(3, 10, 5)).as("what was before the first is not known").isZero();
        assertThat(numbers.came(3, 15, 1)).isZero();
        assertThat(numbers.came(3, 20, 2)).isEqualTo(4);
        assertThat(numbers.isLate(3, 16)).isTrue();
        assertThat(numbers.isLate(3, 21)).isTrue();
        assertThat(numbers.isLate(3, 22)).isFalse();
        assertThat(numbers.isLate(4, 0)).as("another group").isFalse();
    }

    @Test
    void aGapThatADropMayHaveMadeIsNone() {
        numbers.came(3, 0, 5);
        numbers.forget(3);
        assertThat(numbers.came(3, 500, 1)).isZero();
        assertThat(numbers.came(3, 501 + Numbering.LONGEST_GAP + 1, 1)).as("no publisher loses so many").isZero();
    }
}
