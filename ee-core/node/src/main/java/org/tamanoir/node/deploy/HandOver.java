package org.tamanoir.node.deploy;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.service.RunningService;

/**
 * What one version of a service hands over to the next, by name. Values are Java's own: an object of the bundle's own classes would be a
 * stranger in the next bundle, and would keep the old one in memory.
 */
final class HandOver {
    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);
    private static final int MOST_VALUES = 100_000;

    private HandOver() {
    }

    /** Empty if there is no version before, if it hands nothing over, or if it fails to. */
    static Map<String, Object> from(RunningService before) {
        if (before == null) {
            return Map.of();
        }
        try {
            Map<String, Object> offered = before.service().handOver();
            if (offered == null || offered.isEmpty()) {
                return Map.of();
            }
            check(offered, new int[1]);
            return Map.copyOf(offered);
        } catch (RuntimeException | Error e) {
            LOG.warn("{} hands nothing over: {}", before, e.toString());
            return Map.of();
        }
    }

    private static void check(Object value, int[] seen) {
        if (++seen[0] > MOST_VALUES) {
            throw new IllegalArgumentException("it hands over more than " + MOST_VALUES + " values");
        }
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                check(key, seen);
                check(each, seen);
            });
        } else if (value instanceof List<?> list) {
            list.forEach(each -> check(each, seen));
        } else if (value == null || value.getClass().getClassLoader() != null) {
            throw new IllegalArgumentException("it hands over a " + (value == null ? "null" : value.getClass().getName())
                    + "; text, numbers, truth values, arrays, lists and maps of these can be handed over");
        }
    }
}
