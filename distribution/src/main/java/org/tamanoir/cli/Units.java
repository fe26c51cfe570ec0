package org.tamanoir.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.settings.Settings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers as people read them. */
final class Units {
    private Units() {
    }

    /** Octets: {@code 12.3 MB}, in powers of 1000. */
    static String bytes(double octets) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        int unit = 0;
        double value = octets;
        while (value >= 1000 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return unit == 0 ? String.format(Locale.ROOT, "%.0f B", value) : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
    }

    /** {@code 1 file}, {@code 2 files}. */
    static String files(long count) {
        return count == 1 ? "1 file" : count + " files";
    }

    /** A time: {@code 850 ms}, {@code 12.3 s}, {@code 5 min}. */
    static String millis(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        return millis < 120_000 ? String.format(Locale.ROOT, "%.1f s", millis / 1000.0) : millis / 60_000 + " min";
    }

    /** Bits a second: {@code 1.25 Gbit/s}. */
    static String bitRate(double bitsPerSecond) {
        return bitsPerSecond >= 1e9 ? String.format(Locale.ROOT, "%.2f Gbit/s", bitsPerSecond / 1e9)
                : String.format(Locale.ROOT, "%.1f Mbit/s", bitsPerSecond / 1e6);
    }

    /** Bits a second: a number with {@code k}, {@code M} or {@code G} behind it or nothing; {@code 0} for no limit. */
    static final class BitRate implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                return text.equals("0") ? 0 : Settings.bitRate(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage() + "; 0 for no limit");
            }
        }
    }

    /** {@code 250ms}, {@code 10s}, {@code 5m}, {@code 1h}. */
    static final class Time implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                return MapConfiguration.parseDuration("the time", text);
            } catch (AnepException e) {
                throw new TypeConversionException(e.text());
            }
        }
    }

    /** {@code 65536}, {@code 64K}, {@code 64M}, {@code 1G}: octets, in powers of 1,024. */
    public static final class Size implements ITypeConverter<Long> {
        private static final Pattern FORM = Pattern.compile("(\\d{1,12})([KMG]?)", Pattern.CASE_INSENSITIVE);

        @Override
        public Long convert(String text) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new TypeConversionException("'" + text + "' is not a size such as 65536, 64K, 64M or 1G");
            }
            int shift = 10 * " KMG".indexOf(form.group(2).isEmpty() ? " " : form.group(2).toUpperCase(Locale.ROOT));
            return Long.parseLong(form.group(1)) << shift;
        }
    }
}
