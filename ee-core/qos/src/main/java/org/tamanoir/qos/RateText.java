package org.tamanoir.qos;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Rates as {@code tc} writes them: {@code 800kbit}, {@code 60mbit}, {@code 2.5gbit}; bits a second. */
public final class RateText {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)([kmgt]?)bit", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Double> UNITS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9, "t", 1e12);
    private static final double MOST = 1e12;
    private static final int BITS = 8;

    private RateText() {
    }

    /** Bits a second, or -1 if it is no rate. */
    public static long bits(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches() ? Math.round(Double.parseDouble(form.group(1)) * UNITS.get(form.group(2).toLowerCase(Locale.ROOT))) : -1;
    }

    /**
     * Octets a second, at least 1.
     *
     * @param name of the option, for the error
     * @throws AnepException EE-501 for anything else
     */
    public static long octets(String name, String text) {
        long bits = bits(text.strip());
        if (bits >= BITS && bits <= MOST) {
            return Math.round(bits / (double) BITS);
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is '" + text + "'; it must be a rate from 8bit to 1000gbit, such as 60mbit");
    }
}
