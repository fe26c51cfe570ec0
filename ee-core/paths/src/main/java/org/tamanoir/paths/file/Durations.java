package org.tamanoir.paths.file;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as plans have them. */
final class Durations {
    private static final Pattern SHORT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?) ?(ms|s|m|h|d)");
    /** ISO 8601 as pScheduler takes it: weeks to seconds, no months or years, which are of no fixed length. */
    private static final Pattern ISO = Pattern.compile("P(?:(\\d{1,4}(?:\\.\\d{1,6})?)W)?(?:(\\d{1,5}(?:\\.\\d{1,6})?)D)?"
            + "(?:T(?:(\\d{1,6}(?:\\.\\d{1,6})?)H)?(?:(\\d{1,7}(?:\\.\\d{1,6})?)M)?(?:(\\d{1,9}(?:\\.\\d{1,6})?)S)?)?");
    private static final double[] SECONDS = {7 * 86_400, 86_400, 3600, 60, 1};

    private Durations() {
    }

    /** {@code 90s}, {@code 1.5h} or {@code PT4H}; null if it is neither. */
    static Duration parse(String text) {
        Matcher shortly = SHORT.matcher(text);
        if (shortly.matches()) {
            double unit = switch (shortly.group(2)) {
                case "ms" -> 0.001;
                case "s" -> 1;
                case "m" -> 60;
                case "h" -> 3600;
                default -> 86_400;
            };
            return ofSeconds(Double.parseDouble(shortly.group(1)) * unit);
        }
        Matcher iso = ISO.matcher(text);
        if (!iso.matches() || text.endsWith("P") || text.endsWith("T")) {
            return null;
        }
        double seconds = 0;
        for (int i = 0; i < SECONDS.length; i++) {
            seconds += iso.group(i + 1) == null ? 0 : Double.parseDouble(iso.group(i + 1)) * SECONDS[i];
        }
        return ofSeconds(seconds);
    }

    static Duration ofSeconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
