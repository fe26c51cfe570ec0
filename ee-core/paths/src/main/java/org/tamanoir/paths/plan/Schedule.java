package org.tamanoir.paths.plan;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * How often a session runs; the words are pScheduler's.
 *
 * @param repeat   from one run to the next, 1 s to 366 days
 * @param slip     by how much later than due a run may begin, 0 to {@code repeat}
 * @param sliprand whether it begins at random within the slip rather than as early as it can: sessions of one period do not bunch together
 */
public record Schedule(Duration repeat, Duration slip, boolean sliprand) {
    private static final Duration LONGEST = Duration.ofDays(366);

    /** @throws AnepException EE-780 that names what is out of its range */
    public Schedule {
        if (repeat.compareTo(Duration.ofSeconds(1)) < 0 || repeat.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_PLAN, "repeat: " + repeat + " is not from 1 s to 366 days");
        }
        if (slip.isNegative() || slip.compareTo(repeat) > 0) {
            throw new AnepException(ErrorCode.BAD_PLAN, "slip: " + slip + " is not from 0 to the time after which a session repeats, " + repeat);
        }
    }
}
