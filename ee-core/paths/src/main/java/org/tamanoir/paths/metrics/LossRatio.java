package org.tamanoir.paths.metrics;

/**
 * How much is lost (RFC 7680), and within what bounds the true ratio lies in 95 of 100 cases: Wilson's score interval, which holds for few losses, too.
 *
 * @param sent probes, 0 or more
 * @param lost of these: not back, or not there, within the patience
 */
public record LossRatio(long sent, long lost) {
    /** Of the normal distribution: 95 of 100 are within so many standard deviations. */
    private static final double Z = 1.959963984540054;

    public LossRatio {
        if (sent < 0 || lost < 0 || lost > sent) {
            throw new IllegalArgumentException(lost + " lost of " + sent);
        }
    }

    /** 0 to 1; NaN if nothing was sent. */
    public double ratio() {
        return sent == 0 ? Double.NaN : lost / (double) sent;
    }

    /** 0 to 1; 0 if nothing was sent. */
    public double low() {
        return sent == 0 || lost == 0 ? 0 : bound(-1);
    }

    /** 0 to 1; 1 if nothing was sent. */
    public double high() {
        return sent == 0 || lost == sent ? 1 : bound(1);
    }

    private double bound(int sign) {
        double n = sent;
        double square = Z * Z / n;
        return (ratio() + square / 2 + sign * Z * Math.sqrt(ratio() * (1 - ratio()) / n + square / (4 * n))) / (1 + square);
    }
}
