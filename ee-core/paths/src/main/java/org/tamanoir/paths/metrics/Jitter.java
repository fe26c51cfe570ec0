package org.tamanoir.paths.metrics;

import java.util.Arrays;

/**
 * Differences of the delays of packets that follow each other (IPDV, RFC 3393), milliseconds. The offset of the clocks is in both delays, and cancels.
 *
 * @param pairs  packets that both arrived, one right behind the other
 * @param mean   of the differences without sign (RFC 3393, section 2.6)
 * @param spread of the differences with their sign
 */
public record Jitter(int pairs, double mean, Spread spread) {
    /** @param delays as the packets were sent; NaN for one that was lost @return null if no two that follow each other arrived */
    public static Jitter of(double... delays) {
        double[] differences = new double[Math.max(0, delays.length - 1)];
        for (int i = 0; i < differences.length; i++) {
            // NaN if one of them was lost.
            differences[i] = delays[i + 1] - delays[i];
        }
        Spread spread = Spread.of(differences);
        return spread == null ? null : new Jitter(spread.count(), Arrays.stream(differences).filter(each -> !Double.isNaN(each)).map(Math::abs).average().orElseThrow(), spread);
    }
}
