package org.tamanoir.qos;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Rates as {@code tc} writes them: {@code 800kbit}, {@code 60mbit}, {@code 2.5gbit}; bits a second. */
public final class RateText {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,6})?)(k|m|g)?bit");
    private static final double MOST = 1e12;
    private static final int BITS = 8;

    private RateText() {
    }

    /**
     * Octets a second, at least 1.
     *
     * @param name of the option, for the error
     * @throws AnepException EE-501 for anything else
     */
    public static long octets(String name, String text) {
        Matcher parts = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (parts.matches()) {
            double unit = parts.group(2) == null ? 1 : switch (parts.group(2)) {
                case "k" -> 1e3;
                case "m" -> 1e6;
                default -> 1e9;
            };
            double bits = Double.parseDouble(parts.group(1)) * unit;
            if (bits >= BITS && bits <= MOST) {
                return Math.round(bits / BITS);
            }
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is '" + text + "'; it must be a rate from 8bit to 1000gbit, such as 60mbit");
    }
}
