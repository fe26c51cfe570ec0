package org.tamanoir.qos.domain;

/** Bits a second as {@code tc} writes them. */
final class BitRates {
    /** The least rate of a class or a link. */
    static final long LEAST = 8_000;
    /** The greatest. */
    static final long MOST = 1_000_000_000_000L;

    private BitRates() {
    }

    /**
     * The next lower rate that {@code tc} writes without loss: whole kbit from 1 Mbit on, whole Mbit from 1 Gbit on. So a rate that is read
     * back is the one that was set; at most 0.1 % are lost.
     */
    static long printable(long rate) {
        long unit = rate >= 1_000_000_000 ? 1_000_000 : rate >= 1_000_000 ? 1_000 : 8;
        return rate / unit * unit;
    }

    /** {@code 198Mbit}. */
    static String text(long rate) {
        String[] units = {"bit", "kbit", "Mbit", "Gbit", "Tbit"};
        long value = rate;
        int unit = 0;
        while (value >= 1000 && value % 1000 == 0) {
            value /= 1000;
            unit++;
        }
        return value + units[unit];
    }
}
