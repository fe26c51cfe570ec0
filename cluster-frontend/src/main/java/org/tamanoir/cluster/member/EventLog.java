package org.tamanoir.cluster.member;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.cluster.member.Event.What;

/** The last events. */
final class EventLog {
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final int most;
    private final Consumer<Event> listener;

    EventLog(int most, Consumer<Event> listener) {
        this.most = most;
        this.listener = listener;
    }

    void add(long at, String member, What what, String text) {
        Event event = new Event(at, member, what, text);
        events.addLast(event);
        if (events.size() > most) {
            events.removeFirst();
        }
        listener.accept(event);
    }

    /** {@code 3.0 s}. */
    static String seconds(long nanos) {
        return Math.round(nanos / 1e8) / 10.0 + " s";
    }

    List<Event> list() {
        return List.copyOf(events);
    }
}
