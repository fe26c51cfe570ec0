package org.tamanoir.node.manage.board;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.tamanoir.node.manage.configuration.Place;
import org.tamanoir.node.stream.StreamLook;
import org.tamanoir.node.stream.StreamStatus;

/**
 * The streams of a node, and its edges: who sends to whom through it, by which services. Every stream counts in its edge, also one that was over between two looks;
 * of streams and of edges those that carry most are shown, with how many there are.
 *
 * <p>{@link #look} is for one thread, {@link #ended} for any.
 */
public final class StreamBoard {
    /** Of streams, and of edges: what a person can look at, and a browser can draw. */
    static final int MOST = 200;
    /** How long a stream that is over stays, so that one of a moment is seen, and why another has failed. */
    private static final long LINGER_NANOS = 5_000_000_000L;
    /** Ended streams between two looks; of more the edges do not learn, and the node's own counters do. */
    private static final int MOST_ENDED = 20_000;

    private final String node;
    private final Map<Long, Known> known = new HashMap<>();
    private final Map<String, Edge> edges = new LinkedHashMap<>();
    private final Queue<StreamStatus> over = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private long lastNanos;
    private int open;
    private int shown;
    private int shownEdges;

    /** A stream that has been seen. */
    private static final class Known {
        StreamStatus status;
        Edge edge;
        long in;
        long back;
        long waited;
        long waitedBack;
        /** Of the last period. */
        long moved;
        long rate;
        long rateBack;
        int waits;
        int waitsBack;
        long trip;
        /** When it was found to be over; 0 while it is open. */
        long endedNanos;
    }

    /** Streams with the same ends and services. */
    private static final class Edge {
        final String key;
        final Map<String, Object> ends;
        long in;
        long back;
        /** Of the last period. */
        long moved;
        long movedBack;
        int streams;
        int waits;
        int waitsBack;
        long trip;
        long quietSince;

        Edge(String key, Map<String, Object> ends) {
            this.key = key;
            this.ends = ends;
        }

        void begin() {
            moved = 0;
            movedBack = 0;
            streams = 0;
            waits = 0;
            waitsBack = 0;
            trip = 0;
        }

        void moved(long more, long moreBack) {
            moved += more;
            movedBack += moreBack;
            in += more;
            back += moreBack;
        }
    }

    /** @param node its name in keys */
    public StreamBoard(String node) {
        this.node = node;
    }

    /** A stream is over. Any thread; does not wait. */
    public void ended(StreamStatus stream) {
        if (waiting.incrementAndGet() <= MOST_ENDED) {
            over.add(stream);
        } else {
            waiting.decrementAndGet();
        }
    }

    /**
     * Adds entries for the streams and edges.
     *
     * @param looks    at all open streams
     * @param statuses of the streams with these numbers, as far as they are still there
     * @param places   of hosts
     */
    public void look(long now, Collection<StreamLook> looks, Function<Collection<Long>, List<StreamStatus>> statuses, List<Place> places, Map<String, Map<String, Object>> entries) {
        double seconds = lastNanos == 0 ? 0 : (now - lastNanos) / 1e9;
        lastNanos = now;
        edges.values().forEach(Edge::begin);
        learn(looks, statuses, places);
        for (StreamLook look : looks) {
            Known stream = known.get(look.number());
            if (stream != null && stream.endedNanos == 0) {
                moved(stream, look, seconds);
            }
        }
        finish(now, seconds, places, looks);
        open = looks.size();
        show(now, seconds, entries);
    }

    /** Asks for what stays of new streams, and of those that have come further. */
    private void learn(Collection<StreamLook> looks, Function<Collection<Long>, List<StreamStatus>> statuses, List<Place> places) {
        List<Long> asked = new ArrayList<>();
        for (StreamLook look : looks) {
            Known stream = known.get(look.number());
            if (stream == null || !stream.status.state().equals(look.state())) {
                asked.add(look.number());
            }
        }
        if (!asked.isEmpty()) {
            statuses.apply(asked).forEach(status -> known(status, places));
        }
    }

    private Known known(StreamStatus status, List<Place> places) {
        Known stream = known.computeIfAbsent(status.number(), unused -> new Known());
        stream.status = status;
        if (status.destination() != null) {
            // Once its services have names it is another edge; what it has carried before stays where it was counted.
            stream.edge = edge(status, places);
        }
        return stream;
    }

    private Edge edge(StreamStatus stream, List<Place> places) {
        String from = host(stream.source());
        boolean direct = stream.destination().equals(stream.next());
        String to = direct ? host(stream.destination()) : stream.next();
        String key = "edge/" + node + "/" + from + "|" + to + "|" + String.join(",", stream.services());
        return edges.computeIfAbsent(key, made -> {
            // The next hop is a node, or with last the end of the way.
            Map<String, Object> ends = Fields.of("from", from, "to", to, "last", direct, "services", stream.services(), "fromPlace", place(from, places), "toPlace", place(host(stream.next()), places));
            return new Edge(made, ends);
        });
    }

    static String host(String address) {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static String place(String host, List<Place> places) {
        if (places.isEmpty()) {
            return null;
        }
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host);
        Place place = address == null ? null : Place.of(address, places);
        return place == null ? null : place.name();
    }

    private static void moved(Known stream, StreamLook look, double seconds) {
        long in = Math.max(0, look.bytesIn() - stream.in);
        long back = Math.max(0, look.bytesBack() - stream.back);
        stream.in = look.bytesIn();
        stream.back = look.bytesBack();
        stream.moved = in + back;
        stream.rate = rate(in, seconds);
        stream.rateBack = rate(back, seconds);
        stream.waits = part(look.waited() - stream.waited, seconds);
        stream.waitsBack = part(look.waitedBack() - stream.waitedBack, seconds);
        stream.waited = look.waited();
        stream.waitedBack = look.waitedBack();
        stream.trip = look.tripMicros();
        Edge edge = stream.edge;
        if (edge != null) {
            edge.moved(in, back);
            edge.streams++;
            edge.waits = Math.max(edge.waits, stream.waits);
            edge.waitsBack = Math.max(edge.waitsBack, stream.waitsBack);
            edge.trip = edge.trip == 0 ? stream.trip : stream.trip == 0 ? edge.trip : Math.min(edge.trip, stream.trip);
        }
    }

    private static long rate(long octets, double seconds) {
        return seconds == 0 ? 0 : Math.round(8 * octets / seconds);
    }

    /** Of the time, in hundredths. */
    private static int part(long nanos, double seconds) {
        return seconds == 0 ? 0 : (int) Math.min(100, Math.max(0, Math.round(nanos / seconds / 1e7)));
    }

    /** What has ended since the last look, and forgets what ended a while ago. */
    private void finish(long now, double seconds, List<Place> places, Collection<StreamLook> looks) {
        for (StreamStatus status = over.poll(); status != null; status = over.poll()) {
            waiting.decrementAndGet();
            Known stream = known(status, places);
            stream.endedNanos = now;
            StreamLook last = new StreamLook(status.number(), status.state(), status.bytesIn(), status.bytesBack(), stream.waited, stream.waitedBack, stream.trip);
            moved(stream, last, seconds);
            if (stream.edge != null) {
                stream.edge.streams--;
            }
        }
        Set<Long> there = new HashSet<>();
        looks.forEach(look -> there.add(look.number()));
        known.values().removeIf(stream -> stream.endedNanos != 0 ? now - stream.endedNanos > LINGER_NANOS : !there.contains(stream.status.number()));
    }

    private void show(long now, double seconds, Map<String, Map<String, Object>> entries) {
        Comparator<Known> first = Comparator.<Known>comparingInt(stream -> stream.endedNanos == 0 ? 0 : 1).thenComparing(stream -> -stream.moved)
                .thenComparing(stream -> -stream.status.number());
        List<Known> streams = known.values().stream().sorted(first).limit(MOST).toList();
        streams.forEach(stream -> entries.put("stream/" + node + "/" + stream.status.number(), fields(stream)));
        shown = (int) streams.stream().filter(stream -> stream.endedNanos == 0).count();
        edges.values().forEach(edge -> edge.quietSince = edge.streams > 0 || edge.moved + edge.movedBack > 0 ? now : edge.quietSince);
        edges.values().removeIf(edge -> now - edge.quietSince > LINGER_NANOS);
        List<Edge> drawn = edges.values().stream().sorted(Comparator.comparingLong(edge -> -edge.moved - edge.movedBack)).limit(MOST).toList();
        drawn.forEach(edge -> entries.put(edge.key, fields(edge, seconds)));
        shownEdges = drawn.size();
    }

    private static Map<String, Object> fields(Known stream) {
        StreamStatus status = stream.status;
        return Fields.of("number", status.number(), "id", status.id(), "transport", status.transport(), "state", status.state(), "position", status.position(), "from", status.source(), "to",
                status.destination(), "next", status.next(), "services", status.services(), "versions", status.versions(), "waitMillis", status.waitMillis(), "in", stream.in, "back", stream.back,
                "rate", stream.rate, "rateBack", stream.rateBack, "waits", stream.waits, "waitsBack", stream.waitsBack, "trip", stream.trip, "handedTo", status.handedTo(), "identity",
                status.identity(), "session", status.session(), "reason", status.reason());
    }

    private static Map<String, Object> fields(Edge edge, double seconds) {
        Map<String, Object> fields = new LinkedHashMap<>(edge.ends);
        fields.putAll(Fields.of("streams", Math.max(0, edge.streams), "in", edge.in, "back", edge.back, "rate", rate(edge.moved, seconds), "rateBack", rate(edge.movedBack, seconds), "waits",
                edge.waits, "waitsBack", edge.waitsBack, "trip", edge.trip));
        return fields;
    }

    /** How much of it is shown: {@code streams} of the open ones, {@code edges} of all edges. */
    public Map<String, Object> drawn() {
        return Map.of("streams", open, "streamsDrawn", shown, "edges", edges.size(), "edgesDrawn", shownEdges);
    }
}
