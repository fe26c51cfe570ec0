package org.tamanoir.console.board;

import java.util.Map;

/** What all nodes together have carried in the last minutes, for the line of time of a page that opens now. For any thread. */
public final class Rates {
    /** Two a second, for as long as the history goes back. */
    static final int MOST = (int) (History.MILLIS / 500);

    private final long[][] points = new long[MOST][];
    private int count;

    /** @param entries as a board shows them */
    public synchronized void add(long now, Map<String, Map<String, Object>> entries) {
        long rate = 0;
        long back = 0;
        for (Map.Entry<String, Map<String, Object>> entry : entries.entrySet()) {
            if (entry.getKey().startsWith("node/")) {
                rate += number(entry.getValue().get("rate"));
                back += number(entry.getValue().get("rateBack"));
            }
        }
        points[count++ % MOST] = new long[] {now, rate, back};
    }

    private static long number(Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    /** {@code {"points": [[TIME, RATE, BACK], …]}}, the oldest first: milliseconds since 1970, and bits a second. */
    public synchronized String json() {
        StringBuilder json = new StringBuilder("{\"points\":[");
        for (int i = Math.max(0, count - MOST); i < count; i++) {
            long[] point = points[i % MOST];
            json.append(json.charAt(json.length() - 1) == '[' ? "" : ",").append('[').append(point[0]).append(',').append(point[1]).append(',').append(point[2]).append(']');
        }
        return json.append("]}").toString();
    }
}
