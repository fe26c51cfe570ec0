package org.tamanoir.console.gather;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far a node's clock is from this machine's, by the times of its frames. A frame comes later than it was made, so of the last ones the one that was the least late
 * says it best. Not for several threads at once.
 */
final class NodeClock {
    /** From here on it is told: people see it, and events stand in another order. */
    static final long APART_MILLIS = 2000;
    /** Of two a second. */
    private static final int FRAMES = 20;
    /** Before so many have come nothing is said: the first ones wait while everything begins. */
    private static final int LEAST_FRAMES = 4;
    private static final int MOST_EVENTS = 1000;
    private static final long ROUNDED_MILLIS = 100;

    private final long[] ahead = new long[FRAMES];
    private int frames;
    /** When events of this node came here. */
    private final Map<String, Long> arrived = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_EVENTS;
        }
    };

    /** The feed begins: it may be another node, or its clock may have been set. */
    void begin(long time, long now) {
        frames = 0;
        arrived.clear();
        add(time - now);
    }

    void frame(JsonNode frame, long now) {
        add(frame.path("time").asLong() - now);
        for (String key : (Iterable<String>) frame.path("set")::fieldNames) {
            if (key.startsWith("event/")) {
                arrived.putIfAbsent(key, now);
            }
        }
    }

    private void add(long millis) {
        ahead[frames++ % FRAMES] = millis;
    }

    /** Milliseconds, rounded: negative if it is behind. */
    long aheadMillis() {
        long best = ahead[0];
        for (int i = 1; i < Math.min(frames, FRAMES); i++) {
            best = Math.max(best, ahead[i]);
        }
        return frames == 0 ? 0 : Math.round((double) best / ROUNDED_MILLIS) * ROUNDED_MILLIS;
    }

    boolean isApart() {
        return frames >= LEAST_FRAMES && Math.abs(aheadMillis()) > APART_MILLIS;
    }

    /** When an event came, by this machine's clock: of one that was there before the feed, when it must have happened. @param time as the node says it */
    long arrived(String key, Object time) {
        Long came = arrived.get(key);
        if (came != null) {
            return came;
        }
        try {
            came = Instant.parse(String.valueOf(time)).toEpochMilli() - aheadMillis();
        } catch (DateTimeParseException | ArithmeticException e) {
            came = 0L;
        }
        arrived.put(key, came);
        return came;
    }
}
