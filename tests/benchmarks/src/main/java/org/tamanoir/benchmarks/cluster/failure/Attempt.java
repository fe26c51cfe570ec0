package org.tamanoir.benchmarks.cluster.failure;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.lab.LabException;

/**
 * A new stream: connected, opened, one question asked and answered.
 *
 * @param begun   nanoseconds of {@link System#nanoTime}
 * @param ended   when the answer was there, or the failure
 * @param backEnd that has served it, from 1
 * @param failure why it was not served; null if it was
 */
record Attempt(long begun, long ended, int backEnd, String failure) {
    /** One that took longer has lost a packet, which TCP sends again after a second, or has waited for somebody who was not there. */
    static final long PROMPT_NANOS = 500_000_000;

    boolean failed() {
        return failure != null;
    }

    boolean bad() {
        return failed() || ended - begun > PROMPT_NANOS;
    }

    /**
     * How long new streams were not all served after something had happened: from then to the beginning of the first stream after the last bad one.
     *
     * @return seconds, 0 if none was bad
     * @throws LabException if they are not all served again at the end
     */
    static double untilServed(List<Attempt> all, long happened) {
        List<Attempt> after = all.stream().filter(each -> each.ended - happened >= 0).sorted(Comparator.comparingLong(each -> each.begun - happened)).toList();
        int last = after.size() - 1;
        while (last >= 0 && !after.get(last).bad()) {
            last--;
        }
        if (last < 0) {
            return 0;
        }
        if (last == after.size() - 1) {
            throw new LabException(after.size() + " new streams after it happened, and the last one was " + (after.get(last).failed() ? "refused: "
                    + after.get(last).failure : "late"));
        }
        return Math.max(0, (after.get(last + 1).begun - happened) / 1e9);
    }

    static int busiest(List<Attempt> all) {
        Map<Integer, Long> served = all.stream().filter(each -> !each.failed()).collect(Collectors.groupingBy(Attempt::backEnd, Collectors.counting()));
        return Collections.max(served.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    /** The part of them that a back end has served. */
    static double share(List<Attempt> all, int backEnd) {
        return (double) all.stream().filter(each -> each.backEnd == backEnd).count() / all.size();
    }

    /** Why streams failed, of those that were under way when it happened or came later. */
    static List<String> failed(List<Attempt> all, long happened) {
        return all.stream().filter(each -> each.ended - happened >= 0 && each.failed()).map(Attempt::failure).toList();
    }

    /** How long after something had happened a back end still got a new stream, in seconds; 0 if it got none. */
    static double lastAt(List<Attempt> all, long happened, int backEnd) {
        return all.stream().filter(each -> each.backEnd == backEnd && each.begun - happened >= 0).mapToDouble(each -> (each.begun - happened) / 1e9).max().orElse(0);
    }

    /** How long after something had happened a back end got its first new stream, in seconds. @throws LabException if it got none */
    static double firstAt(List<Attempt> all, long happened, int backEnd) {
        return all.stream().filter(each -> each.backEnd == backEnd && each.begun - happened >= 0).mapToDouble(each -> (each.ended - happened) / 1e9).min()
                .orElseThrow(() -> new LabException("b" + backEnd + " has got no new stream"));
    }
}
