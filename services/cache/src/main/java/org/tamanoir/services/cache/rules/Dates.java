package org.tamanoir.services.cache.rules;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;

/** Dates of HTTP (RFC 9110, section 5.6.7), in milliseconds since 1970. */
public final class Dates {
    /** No date. */
    public static final long NONE = Long.MIN_VALUE;
    private static final int CENTURY_BEGINS = 1970;
    private static final DateTimeFormatter FIXED = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);
    private static final List<DateTimeFormatter> READ = List.of(FIXED,
            new DateTimeFormatterBuilder().appendPattern("EEEE, dd-MMM-").appendValueReduced(ChronoField.YEAR, 2, 2, CENTURY_BEGINS)
                    .appendPattern(" HH:mm:ss 'GMT'").toFormatter(Locale.ENGLISH),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH));

    private Dates() {
    }

    /** Reads one of the three forms; {@link #NONE} for anything else. */
    public static long read(String text) {
        if (text != null) {
            for (DateTimeFormatter form : READ) {
                try {
                    return LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC).toEpochMilli();
                } catch (DateTimeException e) {
                    // Perhaps the next form.
                }
            }
        }
        return NONE;
    }

    /** Writes the form of today. */
    public static String write(long millis) {
        return FIXED.format(ZonedDateTime.ofInstant(java.time.Instant.ofEpochMilli(millis), ZoneOffset.UTC));
    }
}
