package org.tamanoir.node.cluster;

import java.util.Map;

/**
 * What a director's check is told.
 *
 * @param serves whether streams that come are served: 200, or else 503
 * @param word   {@code ok}, {@code leaving}, {@code stopping} or {@code failing}
 * @param why    of a word other than {@code ok}; null otherwise
 */
record Health(boolean serves, String word, String why) {
    static final Health OK = new Health(true, "ok", null);

    static Health failing(String why) {
        return new Health(false, "failing", why);
    }

    int status() {
        return serves ? 200 : 503;
    }

    Map<String, Object> body() {
        return why == null ? Map.of("status", word) : Map.of("status", word, "why", why);
    }
}
