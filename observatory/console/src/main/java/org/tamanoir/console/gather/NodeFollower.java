package org.tamanoir.console.gather;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.console.board.Board;
import org.tamanoir.http.fetch.EventFeed;
import org.tamanoir.http.fetch.HttpFetch;

/** Follows the feed of one node on a thread of its own, and comes back to it after every loss. What was known when the node was lost stays, and is told to be old. */
final class NodeFollower implements AutoCloseable {
    /** Without a frame for so long, of which there are two a second, the node is not there. */
    private static final Duration SILENCE = Duration.ofSeconds(3);
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 5000;
    /** Of one node: what it draws is bounded, and what it says must be. */
    private static final int MOST_ENTRIES = 5000;
    private static final int STACK_OCTETS = 256 << 10;
    /** What nodes tell of; other kinds are of other servers, or of this console. */
    private static final Set<String> KINDS = Set.of("node", "place", "stream", "edge", "hop", "service", "event", "link", "qos");
    private static final TypeReference<LinkedHashMap<String, Map<String, Object>>> ENTRIES = new TypeReference<>() { };
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Logger LOG = LoggerFactory.getLogger(NodeFollower.class);

    private final String name;
    private final HttpFetch node;
    private final Thread thread;
    private Map<String, Map<String, Object>> entries = new HashMap<>();
    private String id;
    private String problem = "it has not been asked yet";
    private final NodeClock clock = new NodeClock();
    private long lostMillis = System.currentTimeMillis();
    private boolean lost = true;

    /** @param name for people; null for the node's address */
    NodeFollower(String name, HttpFetch node) {
        this.name = name;
        this.node = node.timeout(SILENCE);
        thread = new Thread(null, this::run, "tamanoir-follower", STACK_OCTETS);
        thread.setDaemon(true);
        thread.start();
    }

    HttpFetch node() {
        return node;
    }

    /** Its id, as it says; null while it has not said anything. */
    synchronized String id() {
        return id;
    }

    private void run() {
        long pause = FIRST_PAUSE_MILLIS;
        try {
            while (!Thread.interrupted()) {
                long began = System.nanoTime();
                try {
                    follow();
                } catch (AnepException e) {
                    lose(e.getMessage());
                } catch (JsonProcessingException | IllegalArgumentException e) {
                    lose("it does not say what a node says: " + e.getMessage());
                }
                // One that was there for a while is asked again soon.
                pause = System.nanoTime() - began > SILENCE.toNanos() ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
                Thread.sleep(pause);
            }
        } catch (InterruptedException e) {
            // The console closes.
        }
    }

    private void follow() throws JsonProcessingException {
        JsonNode whole = node.json("/console/state");
        long number = whole.path("number").asLong();
        begin(JSON.convertValue(whole.path("all"), ENTRIES), whole.path("time").asLong());
        try (EventFeed feed = node.events("/console/feed?since=" + number)) {
            for (EventFeed.Event event = feed.next(); event != null && event.name().equals("frame"); event = feed.next()) {
                JsonNode frame = JSON.readTree(event.data());
                if (frame.path("number").asLong() != ++number) {
                    // One is missing: the whole is asked for again.
                    return;
                }
                apply(frame);
            }
        }
        lose("it has ended the feed");
    }

    private synchronized void begin(Map<String, Map<String, Object>> whole, long time) {
        List<String> nodes = whole == null ? List.of() : whole.keySet().stream().filter(key -> key.startsWith("node/")).map(key -> key.substring("node/".length())).toList();
        if (nodes.size() != 1) {
            throw new IllegalArgumentException("its state is of " + nodes.size() + " nodes and not of one");
        }
        id = nodes.get(0);
        entries = new HashMap<>(whole);
        keepItsOwn();
        clock.begin(time, System.currentTimeMillis());
        if (lost && problem != null) {
            LOG.info("{} is there", node.base());
        }
        lost = false;
        problem = null;
    }

    private synchronized void apply(JsonNode frame) {
        Board.apply(frame, entries);
        keepItsOwn();
        clock.frame(frame, System.currentTimeMillis());
    }

    /** A node speaks for itself: what it says of others is not taken, and of very much only a part. */
    private void keepItsOwn() {
        entries.keySet().removeIf(key -> {
            int slash = key.indexOf('/');
            return slash < 0 || !KINDS.contains(key.substring(0, slash)) || !key.startsWith(id, slash + 1) || key.length() > slash + 1 + id.length() && key.charAt(slash + 1 + id.length()) != '/';
        });
        if (entries.size() > MOST_ENTRIES) {
            throw new IllegalArgumentException("it has more than " + MOST_ENTRIES + " entries");
        }
    }

    private synchronized void lose(String why) {
        if (!lost && !Thread.currentThread().isInterrupted()) {
            lost = true;
            lostMillis = System.currentTimeMillis();
            LOG.warn("{} is lost: {}", node.base(), why);
        }
        problem = why;
    }

    /** Adds what it knows, unless another follower has the same node already. */
    synchronized void show(Map<String, Map<String, Object>> all) {
        String key = "node/" + (id == null ? node.base() : id);
        Map<String, Object> shown = new LinkedHashMap<>(entries.getOrDefault(key, Map.of("address", node.base().toString(), "health", "unknown")));
        if (all.containsKey(key)) {
            return;
        }
        if (!lost) {
            all.putAll(entries);
        } else {
            // Nothing moves there as far as anybody knows.
            entries.forEach((each, fields) -> {
                if (!each.startsWith("stream/") && !each.startsWith("edge/")) {
                    all.put(each, fields);
                }
            });
            shown.put("stale", lostMillis);
            shown.put("problems", Map.of("console", problem));
            shown.put("rate", 0);
            shown.put("rateBack", 0);
        }
        if (name != null) {
            shown.put("name", name);
        }
        if (clock.isApart()) {
            shown.put("clockMillis", clock.aheadMillis());
            entries.forEach((each, fields) -> {
                if (each.startsWith("event/")) {
                    Map<String, Object> placed = new LinkedHashMap<>(fields);
                    placed.put("arrived", clock.arrived(each, fields.get("time")));
                    all.put(each, placed);
                }
            });
        }
        all.put(key, shown);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
