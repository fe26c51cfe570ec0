package org.tamanoir.benchmarks.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Made-up entries of very many nodes, all of which carry something: for what no machine has nodes enough. */
public final class Crowd implements Supplier<Map<String, Map<String, Object>>> {
    private static final int NODES_OF_PLACE = 5;
    private static final long OCTETS_A_SECOND = 12_500_000;

    private final int nodes;
    private final int links;
    private final long began = System.nanoTime();
    private volatile String text = "0";

    /** @param links between nodes of different places, each with a transfer */
    public Crowd(int nodes, int links) {
        this.nodes = nodes;
        this.links = links;
    }

    /** Shows something from now on: the version of the first node. */
    public void say(String newText) {
        text = newText;
    }

    private static String id(int node) {
        return String.format("%016x", node + 1);
    }

    private static String address(int node) {
        return "10." + node / 250 + "." + node % 250 + ".1:3322";
    }

    @Override
    public Map<String, Map<String, Object>> get() {
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        double seconds = (System.nanoTime() - began) / 1e9;
        int places = (nodes + NODES_OF_PLACE - 1) / NODES_OF_PLACE;
        for (int place = 0; place < places; place++) {
            // A golden angle apart, so that no two lie on each other.
            entries.put("place/" + id(place * NODES_OF_PLACE) + "/P" + place, Map.of("name", "P" + place, "latitude", (place * 61.8034) % 110 - 45, "longitude", (place * 137.5078) % 340 - 170));
        }
        for (int node = 0; node < nodes; node++) {
            entries.put("node/" + id(node), Map.of("address", address(node), "version", node == 0 ? text : "0.1.0", "place", "P" + node / NODES_OF_PLACE, "health", "ok", "rate", 1_000_000 + (long) seconds, "rateBack",
                    0, "streams", 1, "memory", 0, "memoryLimit", 1));
        }
        for (int link = 0; link < links; link++) {
            int from = link * 7 % nodes;
            int to = (from + NODES_OF_PLACE + link * 13) % nodes;
            long octets = Math.round(seconds * OCTETS_A_SECOND * (1 + link % 5));
            Map<String, Object> fields = new LinkedHashMap<>(Map.of("from", "192.0.2." + link % 250, "to", address(to), "last", false, "services", List.of("monitoring"), "streams", 1, "in", octets, "back",
                    octets / 20, "waits", link % 9 == 0 ? 60 : 0, "waitsBack", 0, "trip", 10_000 + 1000 * (link % 100)));
            fields.put("rate", 8 * OCTETS_A_SECOND * (1 + link % 5));
            fields.put("rateBack", 8 * OCTETS_A_SECOND * (1 + link % 5) / 20);
            entries.put("edge/" + id(from) + "/" + link, fields);
        }
        return entries;
    }
}
