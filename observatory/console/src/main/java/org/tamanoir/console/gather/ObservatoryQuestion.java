package org.tamanoir.console.gather;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;

/**
 * Asks an observatory what it knows of every path. Sessions between the same two domains are one entry, which has of each figure the newest; a host without a domain
 * stands for itself.
 */
final class ObservatoryQuestion implements WatchedServer.Question {
    static final String KIND = "observatory";
    /** Pairs of 50 domains. */
    static final int MOST = 2500;
    private static final List<List<String>> FIGURES = List.of(List.of("rtt-median", "roundTrip"), List.of("loss", "loss"), List.of("steady-mbits", "throughput"), List.of("mbits", "throughput"));

    @Override
    public Map<String, Map<String, Object>> ask(HttpFetch server, String number) {
        Map<String, Map<String, Object>> pairs = new LinkedHashMap<>();
        int sessions = 0;
        for (JsonNode sample : server.json("/v1/matrix")) {
            String from = end(sample, "from");
            String to = end(sample, "to");
            String qosClass = Said.text(sample.path("class"));
            if (from == null || to == null || qosClass == null) {
                throw new IllegalArgumentException("it does not say what an observatory says");
            }
            sessions++;
            learn(pairs.computeIfAbsent("path/" + number + "/" + from + "|" + to + "|" + qosClass, key -> new LinkedHashMap<>(Map.of("from", from, "to", to, "class", qosClass))), sample);
        }
        // Those of the same beginning together, so that what is left out are rows and not holes.
        List<String> drawn = new ArrayList<>(pairs.keySet());
        drawn.sort(null);
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        drawn.stream().limit(MOST).forEach(key -> entries.put(key, pairs.get(key)));
        entries.put(KIND + "/" + number, new Said().put("sessions", sessions).put("pairs", pairs.size()).put("pairsDrawn", entries.size()).fields());
        return entries;
    }

    private static String end(JsonNode sample, String which) {
        String domain = Said.text(sample.path(which + "Domain"));
        return domain != null ? domain : Said.text(sample.path(which));
    }

    private static void learn(Map<String, Object> pair, JsonNode sample) {
        long time = sample.path("time").asLong();
        for (List<String> figure : FIGURES) {
            JsonNode value = sample.path("values").path(figure.get(0));
            String name = figure.get(1);
            // Of one sample the first that is there: throughput without its beginning goes before that of the whole.
            if (value.isNumber() && time > ((Number) pair.getOrDefault(name + "Time", 0L)).longValue()) {
                pair.put(name, value.numberValue());
                pair.put(name + "Time", time);
            }
        }
    }
}
