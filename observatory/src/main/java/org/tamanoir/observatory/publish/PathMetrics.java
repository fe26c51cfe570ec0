package org.tamanoir.observatory.publish;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.SampleValue;

/** The newest values of paths, in the Prometheus text format. One that is older than an hour is left out: a path that is not measured any more has no value. */
public final class PathMetrics {
    private static final long OLDEST = 3_600_000;

    private PathMetrics() {
    }

    /** @param newest one of each session @param now milliseconds of the epoch */
    public static String text(List<SampleLine> newest, long now) {
        StringBuilder text = new StringBuilder();
        for (SampleValue value : SampleValue.values()) {
            String name = "tamanoir_path_" + value.text().replace('-', '_');
            String sampled = samples(name, value, newest, now);
            if (!sampled.isEmpty()) {
                text.append("# HELP ").append(name).append(" The newest ").append(value.text()).append(" of a session; docs/observatory.md has its unit.\n# TYPE ").append(name).append(" gauge\n").append(sampled);
            }
        }
        return text.toString();
    }

    private static String samples(String name, SampleValue value, List<SampleLine> newest, long now) {
        StringBuilder text = new StringBuilder();
        for (SampleLine line : newest) {
            Double number = line.values().get(value.text());
            if (number != null && line.time() >= now - OLDEST) {
                // Names are of letters, digits, dots, colons and dashes.
                Map<String, String> labels = Map.of("from", line.from(), "to", line.to(), "class", line.qosClass(), "task", line.session().substring(0, line.session().indexOf('/')), "kind", line.kind().text());
                text.append(name).append('{');
                String[] pairs = labels.entrySet().stream().map(each -> each.getKey() + "=\"" + each.getValue() + '"').sorted().toArray(String[]::new);
                text.append(String.join(",", Arrays.asList(pairs))).append("} ").append(number).append('\n');
            }
        }
        return text.toString();
    }
}
