package org.tamanoir.qos.eds;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What a queue of equivalent classes is told; {@code struct eds_parameters} of {@code eds.h}.
 *
 * @param limit   octets of all classes together that may wait, 1 to 2^30
 * @param history M of PLR(M): loss rates are of the last M arrivals, at most 16,384; 0 for all since the start
 * @param delay   factors of the classes, 1 to 8 of 1 to 1000: delays are in their proportion. They do not fall
 * @param loss    factors, as many: loss rates are in their proportion. They do not rise
 * @param red     when a packet is lost before the limit is reached; null for never
 */
public record EdsParameters(int limit, int history, List<Integer> delay, List<Integer> loss, Red red) {
    public static final int MOST_CLASSES = 8;
    public static final int MOST_HISTORY = 16_384;
    public static final int MOST_FACTOR = 1_000;
    public static final int MOST_LIMIT = 1 << 30;
    /** The classes of the report: six that differ, and six that do not. */
    public static final List<Integer> DELAY = List.of(10, 12, 15, 20, 30, 60);
    public static final List<Integer> LOSS = List.of(60, 30, 20, 15, 12, 10);
    public static final List<Integer> SAME = List.of(1, 1, 1, 1, 1, 1);

    /** @throws AnepException EE-501 if something is out of its range, or a class is better in both */
    public EdsParameters {
        delay = List.copyOf(delay);
        loss = List.copyOf(loss);
        check(limit >= 1 && limit <= MOST_LIMIT, "limit " + limit + " is not 1 to " + MOST_LIMIT + " octets");
        check(history >= 0 && history <= MOST_HISTORY, "history " + history + " is not 0 to " + MOST_HISTORY + " arrivals");
        check(!delay.isEmpty() && delay.size() <= MOST_CLASSES && loss.size() == delay.size(), "1 to " + MOST_CLASSES + " classes have a factor of delay and "
                + "one of loss each, not " + delay.size() + " and " + loss.size());
        for (int i = 0; i < delay.size(); i++) {
            check(delay.get(i) >= 1 && delay.get(i) <= MOST_FACTOR && loss.get(i) >= 1 && loss.get(i) <= MOST_FACTOR,
                    "factors of class " + (i + 1) + " are not 1 to " + MOST_FACTOR);
            check(i == 0 || delay.get(i) >= delay.get(i - 1) && loss.get(i) <= loss.get(i - 1),
                    "class " + (i + 1) + " has a shorter delay or a higher loss than the one before it: classes stand from the quickest to the safest");
        }
    }

    /** The same with another way to say when a packet is lost. */
    public EdsParameters with(Red other) {
        return new EdsParameters(limit, history, delay, loss, other);
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, what);
        }
    }
}
