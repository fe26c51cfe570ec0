package org.tamanoir.services.cache.objects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Who asks an origin for what is not there, and who waits for what that one hears. For any thread. */
public final class Flights {
    /** Somebody who waits for what a leader hears. */
    @FunctionalInterface
    public interface Follower {
        /**
         * Any thread; must not wait.
         *
         * @param known whether the origin has answered the leader; if not, the leader is gone
         */
        void landed(boolean known);
    }

    private final Map<String, List<Follower>> flights = new HashMap<>();

    /** Whether whoever asks leads; otherwise it is told when the leader knows more. */
    public synchronized boolean lead(String key, Follower follower) {
        List<Follower> waiting = flights.get(key);
        if (waiting == null) {
            flights.put(key, new ArrayList<>());
            return true;
        }
        waiting.add(follower);
        return false;
    }

    /** The leader knows, or is gone. */
    public void land(String key, boolean known) {
        List<Follower> waiting;
        synchronized (this) {
            waiting = flights.remove(key);
        }
        if (waiting != null) {
            waiting.forEach(follower -> follower.landed(known));
        }
    }
}
