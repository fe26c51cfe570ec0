package org.tamanoir.transfer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamCountTest {
    /** Each stream carries what a window lets it, until the link is full. */
    private static int settled(double each, double link, int most, int rounds) {
        StreamCount count = new StreamCount(2, most);
        double average = 0;
        for (int i = 0; i < rounds; i++) {
            int now = count.round(Math.min(count.count() * each, link));
            average += i < rounds / 2 ? 0 : now / (rounds / 2.0);
        }
        return (int) Math.round(average);
    }

    @Test
    void oneMoreAsLongAsItPays() {
        assertThat(settled(10, 55, 8, 100)).as("five and a half fill the link").isBetween(5, 6);
        assertThat(settled(10, 1000, 8, 100)).as("never more than the bound").isEqualTo(8);
        assertThat(settled(100, 100, 8, 200)).as("one fills it").isLessThanOrEqualTo(2);
    }

    @Test
    void aBoundOfOneIsKept() {
        assertThat(settled(10, 1000, 1, 20)).isEqualTo(1);
    }
}
