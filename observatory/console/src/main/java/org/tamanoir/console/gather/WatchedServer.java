package org.tamanoir.console.gather;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.http.fetch.HttpFetch;

/**
 * Asks a server that is no node again and again, on a thread of its own. What it said last stays while it does not answer, and is told to be old.
 *
 * <p>Its number is its name in keys: what a server is called may have slashes in it.
 */
final class WatchedServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int STACK_OCTETS = 256 << 10;
    private static final Logger LOG = LoggerFactory.getLogger(WatchedServer.class);

    /** Asks once. */
    @FunctionalInterface
    interface Question {
        /**
         * What the server says now.
         *
         * @param number of the server, for keys
         * @return entries by key; that of the server itself among them
         */
        Map<String, Map<String, Object>> ask(HttpFetch server, String number);
    }

    private final String key;
    private final String number;
    private final String name;
    private final HttpFetch server;
    private final Question question;
    private final Duration period;
    private final Thread thread;
    private Map<String, Map<String, Object>> entries = Map.of();
    private String problem = "it has not been asked yet";
    private long lostMillis = System.currentTimeMillis();

    /**
     * Begins to ask.
     *
     * @param kind   of the server's own entry
     * @param number of this server among those of its kind
     * @param name   for people; null for its address
     * @param period between two questions
     */
    WatchedServer(String kind, int number, String name, HttpFetch server, Duration period, Question question) {
        this.number = Integer.toString(number);
        this.key = kind + "/" + number;
        this.name = name;
        this.server = server.timeout(PATIENCE);
        this.period = period;
        this.question = question;
        thread = new Thread(null, this::run, "tamanoir-watcher", STACK_OCTETS);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!Thread.interrupted()) {
                try {
                    learn(question.ask(server, number));
                } catch (AnepException | IllegalArgumentException e) {
                    lose(e.getMessage());
                }
                Thread.sleep(period.toMillis());
            }
        } catch (InterruptedException e) {
            // The console closes.
        }
    }

    private synchronized void learn(Map<String, Map<String, Object>> said) {
        if (problem != null) {
            LOG.info("{} is there", server.base());
        }
        entries = said;
        problem = null;
    }

    private synchronized void lose(String why) {
        if (problem == null) {
            lostMillis = System.currentTimeMillis();
            LOG.warn("{} is lost: {}", server.base(), why);
        }
        problem = why;
    }

    /** Adds what it knows. */
    synchronized void show(Map<String, Map<String, Object>> all) {
        all.putAll(entries);
        Map<String, Object> own = new LinkedHashMap<>(entries.getOrDefault(key, Map.of()));
        own.put("name", name == null ? server.base().toString() : name);
        if (problem != null) {
            own.put("stale", lostMillis);
            own.put("problem", problem);
        }
        all.put(key, own);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
