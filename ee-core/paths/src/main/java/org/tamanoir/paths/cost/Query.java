package org.tamanoir.paths.cost;

import java.util.Map;
import org.tamanoir.paths.plan.Plan;

/**
 * What somebody wants to know.
 *
 * @param octets    of the file; 0 if its size does not matter
 * @param qosClass  in which it would go
 * @param now       milliseconds of the epoch
 * @param tolerance how old a sample may be, milliseconds
 * @param tools     names of the tools whose samples count; a metric that is missing takes any
 * @param streams   TCP connections of the transfer; 0 if that does not matter
 */
public record Query(double octets, String qosClass, long now, long tolerance, Map<Metric, String> tools, int streams) {
    /** In best effort, by any tool. */
    public static Query of(double octets, long now, long tolerance) {
        return new Query(octets, Plan.BEST_EFFORT, now, tolerance, Map.of(), 0);
    }

    boolean takes(Sample sample) {
        return isFresh(sample) && tools.getOrDefault(sample.metric(), sample.tool()).equals(sample.tool())
                && (streams == 0 || sample.streams() == 0 || sample.streams() == streams);
    }

    boolean isFresh(Sample sample) {
        return now - sample.time() <= tolerance;
    }
}
