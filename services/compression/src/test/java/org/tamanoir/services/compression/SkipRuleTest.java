package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.tamanoir.services.compression.Compressor.SkipRule;

class SkipRuleTest {
    /** Which of some packets that all fail to shrink are tried. */
    private static List<Integer> tried(SkipRule rule, int packets) {
        return IntStream.range(0, packets).filter(i -> {
            boolean tried = rule.tryThis();
            if (tried) {
                rule.missed();
            }
            return tried;
        }).boxed().toList();
    }

    @Test
    void triesBecomeRarerByDoublingAndEndAtEverySixtyFourth() {
        List<Integer> tried = tried(new SkipRule(), 1_000);
        assertThat(tried).startsWith(0, 1, 2, 3, 5, 9, 17, 33, 65, 129, 193, 257);
        assertThat(tried.get(tried.size() - 1) - tried.get(tried.size() - 2)).isEqualTo(SkipRule.RAREST);
    }

    @Test
    void onePacketThatShrinksEndsTheRestraint() {
        SkipRule rule = new SkipRule();
        tried(rule, 500);
        while (!rule.tryThis()) {
            continue;
        }
        rule.shrunk();
        assertThat(tried(rule, 6)).containsExactly(0, 1, 2, 3, 5);
    }

    @Property
    void noMoreThanSixtyThreeAreSkippedInARow(@ForAll Random random, @ForAll @IntRange(max = 100) int shrinkPercent) {
        SkipRule rule = new SkipRule();
        int skipped = 0;
        for (int i = 0; i < 5_000; i++) {
            if (!rule.tryThis()) {
                skipped++;
                assertThat(skipped).isLessThan(SkipRule.RAREST);
                continue;
            }
            skipped = 0;
            if (random.nextInt(100) < shrinkPercent) {
                rule.shrunk();
            } else {
                rule.missed();
            }
        }
    }
}
