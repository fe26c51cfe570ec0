package org.tamanoir.node.manage;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.node.routing.NextHops;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.stream.StreamStatus;

/**
 * What an operator would want to have seen: streams that were refused or failed, changes of services, next hops lost and found, what came of rules for tuning. The last ones are kept, with numbers
 * that only rise, so that whoever asks again gets what is new and learns how many it has missed. For any thread.
 */
final class NodeEvents {
    static final int REMEMBERED = 512;
    /** Failed streams that are told one by one in a second: a flood must not push everything else out. */
    static final int STREAMS_A_SECOND = 20;
    private static final long SECOND = 1_000_000_000L;

    /**
     * One event.
     *
     * @param number from 1
     * @param time   ISO 8601, UTC
     * @param kind   {@code service}, {@code stream}, {@code hop}, {@code tuning}
     * @param text   what happened, in a line
     */
    record Event(long number, String time, String kind, String text) {
    }

    private final Deque<Event> events = new ArrayDeque<>();
    private final Map<String, String> hops = new HashMap<>();
    private final LongSupplier nanos;
    private long last;
    private long second = Long.MIN_VALUE;
    private int streams;
    private int untold;

    NodeEvents(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private synchronized void add(String kind, String text) {
        events.addLast(new Event(++last, Instant.now().toString(), kind, text));
        if (events.size() > REMEMBERED) {
            events.removeFirst();
        }
    }

    /** A service has come into another state. */
    void service(ServiceEvents.Change change) {
        StringBuilder text = new StringBuilder(change.name() == null ? change.typeId() : change.name());
        text.append(change.version() == null ? "" : " " + change.version()).append(" is ").append(change.to());
        text.append(change.source() == null ? "" : ", from " + change.source()).append(change.reason() == null ? "" : ": " + change.reason());
        add("service", text.toString());
    }

    /** Something has happened to a rule for tuning. */
    void tuning(String text) {
        add("tuning", text);
    }

    /** A stream is over; those that ended well are not told. */
    synchronized void stream(StreamStatus stream) {
        if (stream.reason() == null) {
            return;
        }
        long now = nanos.getAsLong();
        if (second == Long.MIN_VALUE || now - second >= SECOND) {
            second = now;
            streams = 0;
            tellUntold();
        }
        if (++streams > STREAMS_A_SECOND) {
            untold++;
            return;
        }
        // A stream that was refused has neither destination nor services.
        add("stream", stream.number() + " from " + stream.source() + (stream.destination() == null ? "" : " to " + stream.destination())
                + (stream.services().isEmpty() ? "" : ", " + String.join(",", stream.services())) + ": " + stream.reason());
    }

    private void tellUntold() {
        if (untold > 0) {
            add("stream", untold + " more have failed; 'node streams --ended' has the last ones");
            untold = 0;
        }
    }

    /** Looks at the next hops: twice a second, as their state also changes by silence. */
    synchronized void look(Iterable<NextHops.Status> now) {
        if (untold > 0 && nanos.getAsLong() - second >= SECOND) {
            tellUntold();
        }
        for (NextHops.Status hop : now) {
            String before = hops.put(hop.to(), hop.state());
            if (before == null ? !hop.takesStreams() : !before.equals(hop.state())) {
                add("hop", hop.to() + " is " + hop.state() + (before == null ? "" : ", was " + before) + ": it " + hop.because());
            }
        }
        List<String> there = new ArrayList<>();
        now.forEach(hop -> there.add(hop.to()));
        hops.keySet().retainAll(there);
    }

    /** The last ones, at most so many, the oldest first. */
    synchronized List<Event> newest(int most) {
        return events.stream().skip(Math.max(0, events.size() - most)).toList();
    }

    /** {@code GET /events/since/N}. */
    Response since(Request request) {
        try {
            return Response.json(since(Long.parseLong(request.parameter("number"))));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "events are asked for by the number of the last one that is known, or 0", e);
        }
    }

    /** What came after a number: {@code events}, the {@code last} number, and how many are {@code missed} because they are forgotten. A number of before a restart gets all. */
    synchronized Map<String, Object> since(long number) {
        long from = number < 0 || number > last ? 0 : number;
        List<Event> after = events.stream().filter(event -> event.number() > from).toList();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("events", after);
        answer.put("last", last);
        answer.put("missed", from == 0 ? 0 : last - from - after.size());
        return answer;
    }
}
