package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.ipvs.IpvsEngine.BackOff;

class BackOffTest {
    @Test
    void theFirstDeathIsMadeGoodAtOnceAndALoopOfDeathsIsSlow() {
        BackOff backOff = new BackOff();
        assertThat(IntStream.range(0, 9).mapToObj(i -> backOff.after(Duration.ofMillis(100)).toMillis()))
                .containsExactly(0L, 250L, 500L, 1000L, 2000L, 4000L, 8000L, 10_000L, 10_000L);
        assertThat(backOff.after(BackOff.WELL)).isZero();
        assertThat(backOff.after(Duration.ZERO)).isEqualTo(BackOff.FIRST);
    }
}
