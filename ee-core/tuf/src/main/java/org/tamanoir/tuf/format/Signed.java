package org.tamanoir.tuf.format;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Pattern;

/** What a role says: the signed part of its metadata. */
public sealed interface Signed permits Root, Timestamp, Snapshot, Targets {
    /** What every role says. */
    Common common();

    /** Counts up with each change, from 1 on. */
    default long version() {
        return common().version();
    }

    /** From then on it counts no more. */
    default Instant expires() {
        return common().expires();
    }

    default boolean isExpired(Instant now) {
        return !now.isBefore(expires());
    }

    /**
     * What every role says.
     *
     * @param version 1 to 2^53 - 1: every reader of JSON has these
     * @param expires whole seconds
     */
    record Common(long version, Instant expires) {
        private static final long LARGEST = (1L << 53) - 1;
        private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        private static final Pattern SPECIFICATION = Pattern.compile("1\\.\\d{1,9}(\\.\\d{1,9})?");

        static Common read(Fields signed, String type) {
            if (!signed.text("_type").equals(type)) {
                throw Fields.bad("it is of the role " + signed.text("_type") + ", and " + type + " was expected");
            }
            if (!SPECIFICATION.matcher(signed.text("spec_version")).matches()) {
                throw Fields.bad("it is for version " + signed.text("spec_version") + " of TUF, and this program knows 1");
            }
            long version = signed.integer("version", 1);
            if (version > LARGEST) {
                throw Fields.bad(signed.place("version") + " is too large");
            }
            return new Common(version, time(signed.text("expires")));
        }

        private static Instant time(String text) {
            try {
                if (TIME.matcher(text).matches()) {
                    return Instant.parse(text);
                }
            } catch (DateTimeException e) {
                throw Fields.bad("it expires on a day that does not exist: " + text);
            }
            throw Fields.bad("it expires at " + text + ", which is no time like 2030-01-31T12:00:00Z");
        }
    }
}
