package org.tamanoir.transfer.copy;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What has come of a copy.
 *
 * @param files that were copied
 * @param present that were there already
 * @param skipped names that are neither files nor directories, links too, or cannot be sent
 * @param octets of the files that were copied
 * @param resumed of these, octets that an earlier run had brought
 * @param holes octets that did not go over, as the source has holes there
 * @param moved octets of extents that went over, those that went twice included
 * @param seconds from its start
 * @param streams at most, at a time
 * @param lostStreams streams that ended before their time
 * @param failures files that were not copied
 * @param failed the first of these, with the reason
 */
public record CopyReport(long files, long present, long skipped, long octets, long resumed, long holes, long moved, double seconds, int streams, int lostStreams, long failures,
        List<Failure> failed) {
    /** Of so many files that were not copied the reason is kept. */
    static final int MOST_FAILURES = 1000;

    /** A file that was not copied. */
    public record Failure(String path, String why) {
        static Failure of(String path, AnepException why) {
            return new Failure(path, why.getMessage());
        }

        /** Why, as it was thrown. */
        public AnepException thrown() {
            String code = why.substring(0, why.indexOf(' '));
            return new AnepException(ErrorCode.of(Integer.parseInt(code.substring(code.indexOf('-') + 1))), why.substring(code.length() + 1));
        }
    }
}
