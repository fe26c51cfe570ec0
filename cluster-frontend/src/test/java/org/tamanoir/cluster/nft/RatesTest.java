package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.nft.NftEngine.Ledger.Rates;

class RatesTest {
    @Test
    void aRateComesNearToWhatIsThereAndACounterThatBeginsAnewIsNoBurst() {
        Rates rates = new Rates();
        long value = 1_000_000;
        for (int i = 0; i < 20; i++) {
            rates.take(i * 2_000_000_000L, Map.of("a", value));
            value += 200;
        }
        assertThat(rates.of("a")).isBetween(98L, 100L);
        rates.take(40_000_000_000L, Map.of("a", 5L));
        assertThat(rates.of("a")).isBetween(70L, 76L);
        rates.take(42_000_000_000L, Map.of("b", 5L));
        assertThat(rates.of("a")).as("gone").isZero();
    }
}
