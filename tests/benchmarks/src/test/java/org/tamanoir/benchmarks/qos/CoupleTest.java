package org.tamanoir.benchmarks.qos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.benchmarks.qos.Couple.Judged;
import org.tamanoir.benchmarks.qos.Couple.Measured;
import org.tamanoir.benchmarks.qos.Couple.Verdict;
import org.tamanoir.benchmarks.qos.Precision.Mix;
import org.tamanoir.benchmarks.qos.Precision.Point;

class CoupleTest {
    private static Judged judged(int be, double offeredBe, double offeredLbe, double gotBe, double gotLbe) {
        return new Couple(be, 100 - be).judge(new Measured(offeredBe, offeredLbe, gotBe, gotLbe, 1000, 0), 100);
    }

    /** A link of 100: what each class offers, and what it should get. */
    @ParameterizedTest
    @CsvSource({
        // both want more than their shares
        "90, 200, 200, 90, 10",
        // what BE leaves is LBE's
        "90, 40, 200, 40, 60",
        // what LBE leaves is BE's
        "90, 200, 4, 96, 4",
        // there is room for both
        "90, 30, 40, 30, 40",
        // LBE has less than its share and BE gets no more than the rest
        "50, 60, 45, 55, 45",
        // each just its share
        "99, 99, 1, 99, 1"})
    void aClassGetsItsShareAndWhatTheOtherLeaves(int be, Double offeredBe, Double offeredLbe, Double shouldBe, Double shouldLbe) {
        Judged judged = judged(be, offeredBe, offeredLbe, 1, 1);
        assertThat(judged.shouldBe()).isEqualTo(shouldBe);
        assertThat(judged.shouldLbe()).isEqualTo(shouldLbe);
    }

    @Test
    void anErrorIsPositiveWhereAClassGotMoreAndIsRelativeToWhatItShouldGet() {
        Judged judged = judged(99, 200, 200, 97, 2.5);
        assertThat(judged.errorLbe()).isCloseTo(150, within(1e-9));
        assertThat(judged.errorBe()).isCloseTo(-100 * 2.0 / 99, within(1e-9));
        assertThat(judged.utilisation()).isCloseTo(99.5, within(1e-9));
        assertThat(judged(99, 20, 30, 20, 15).utilisation()).as("of what was offered, where that is less than the link").isEqualTo(70);
    }

    @Test
    void theWorstErrorKeepsItsSignAndTheAverageDoesNot() {
        Verdict verdict = Verdict.of(List.of(judged(80, 200, 200, 80, 20.2), judged(80, 200, 200, 80.8, 19.2), judged(80, 200, 200, 80, 20)));
        assertThat(verdict.worstLbe()).isCloseTo(-4, within(1e-9));
        assertThat(verdict.averageLbe()).isCloseTo(5 / 3.0, within(1e-9));
        assertThat(verdict.worstBe()).isCloseTo(1, within(1e-9));
        assertThat(verdict.isInMaxRegion()).isFalse();
        assertThat(verdict.isInAverageRegion()).isTrue();
    }

    @Test
    void aMedianOfTwoIsTheWorseAndOfThreeTheMiddleOne() {
        Point point = new Point(Precision.OURS, Mix.TEST3, new Couple(80, 20), 125);
        point.runs().add(judged(80, 200, 200, 80, 20.2));
        point.runs().add(judged(80, 200, 200, 80, 19));
        assertThat(point.median().errorLbe()).isCloseTo(-5, within(1e-9));
        point.runs().add(judged(80, 200, 200, 80, 24));
        assertThat(point.median().errorLbe()).isCloseTo(1, within(1e-9));
    }

    @Test
    void aRunIsDisturbedIfItsSendersLeaveOutMoreThanOneDatagramOfAThousand() {
        assertThat(new Measured(1, 1, 1, 1, 999, 1).isDisturbed()).isFalse();
        assertThat(new Measured(1, 1, 1, 1, 998, 2).isDisturbed()).isTrue();
    }

    @Test
    void thereAreEighteenDifferentCouples() {
        assertThat(Couple.ALL).hasSize(18).doesNotHaveDuplicates().allMatch(couple -> couple.be() + couple.lbe() == 100)
                .startsWith(new Couple(99, 1)).endsWith(new Couple(50, 50));
    }
}
