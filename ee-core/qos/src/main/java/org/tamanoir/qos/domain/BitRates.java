package org.tamanoir.qos.domain;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bits a second as {@code tc} writes them. */
final class BitRates {
    /** The least rate of a class or a link. */
    static final long LEAST = 8_000;
    /** The greatest. */
    static final long MOST = 1_000_000_000_000L;

    private static final Pattern FORM = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)([kmgt]?)bit", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Double> UNITS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9, "t", 1e12);

    private BitRates() {
    }

    /** @return bits a second, or -1 if it is no rate */
    static long parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches() ? Math.round(Double.parseDouble(form.group(1)) * UNITS.get(form.group(2).toLowerCase(Locale.ROOT))) : -1;
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
