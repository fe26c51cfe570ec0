package org.tamanoir.http.fetch;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.http.fetch.EventFeed.Event;

/**
 * Makes events of octets, as the WHATWG HTML standard says in section 9.2.6: lines end with CR, LF or both; a line that begins with a
 * colon is a comment; an empty line ends an event; an event without data is none. Identifiers and times to wait are passed over.
 */
final class EventParser {
    /** Octets of one event's lines together; far more than any event of a node. */
    static final int MOST = 64 << 10;

    private final Deque<Event> events = new ArrayDeque<>();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private StringBuilder data;
    private String name = "";
    private int octets;
    private boolean afterReturn;
    private boolean first = true;

    /** @throws Limited.TooLong if an event is longer than {@link #MOST} */
    void feed(ByteBuffer buffer) throws BoundedBody.TooLong {
        while (buffer.hasRemaining()) {
            byte octet = buffer.get();
            boolean secondHalf = octet == '\n' && afterReturn;
            afterReturn = octet == '\r';
            if (secondHalf) {
                continue;
            }
            if (octet == '\n' || octet == '\r') {
                endLine(line.toString(StandardCharsets.UTF_8));
                line.reset();
            } else {
                line.write(octet);
                if (++octets > MOST) {
                    throw new BoundedBody.TooLong();
                }
            }
        }
    }

    /** The next event that is complete, or null. */
    Event poll() {
        return events.poll();
    }

    private void endLine(String withMark) {
        String text = first && withMark.startsWith("\uFEFF") ? withMark.substring(1) : withMark;
        first = false;
        if (text.isEmpty()) {
            endEvent();
            return;
        }
        int colon = text.indexOf(':');
        if (colon == 0) {
            octets -= line.size();
            return;
        }
        String field = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(text.startsWith(" ", colon + 1) ? colon + 2 : colon + 1);
        if (field.equals("event")) {
            name = value;
        } else if (field.equals("data")) {
            data = data == null ? new StringBuilder(value) : data.append('\n').append(value);
        }
    }

    private void endEvent() {
        if (data != null) {
            events.add(new Event(name.isEmpty() ? "message" : name, data.toString()));
        }
        data = null;
        name = "";
        octets = 0;
    }
}
