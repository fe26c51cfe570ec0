package org.tamanoir.cli;

import java.util.Locale;

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
}
