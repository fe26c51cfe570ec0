package org.tamanoir.services.qosinus;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** What has happened to sessions lately, for people: the newest so many. Safe for all threads. */
final class Events {
    private static final int MOST = 256;

    private final Deque<Map<String, Object>> newest = new ArrayDeque<>();

    synchronized void add(long millis, Session session, String what, String text) {
        if (newest.size() == MOST) {
            newest.removeLast();
        }
        newest.addFirst(Map.of("time", Instant.ofEpochMilli(millis).toString(), "session", session.name(), "event", what, "text",
                session.isBack ? "on the way back: " + text : text));
    }

    /** The newest first. */
    synchronized List<Map<String, Object>> all() {
        return new ArrayList<>(newest);
    }

    /** Those of one session, the newest first. */
    synchronized List<Map<String, Object>> of(Session session) {
        return newest.stream().filter(event -> session.name().equals(event.get("session"))).toList();
    }
}
