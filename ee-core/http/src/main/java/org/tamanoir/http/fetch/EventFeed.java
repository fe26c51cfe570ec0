package org.tamanoir.http.fetch;

import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Server-sent events of one server, as they come. For one thread. Whether to ask again after the end is the caller's choice.
 *
 * <pre>{@code
 * try (EventFeed feed = node.events("/events")) {
 *     for (Event event = feed.next(); event != null; event = feed.next()) {
 *         System.out.println(event.data());
 *     }
 * }
 * }</pre>
 */
public final class EventFeed implements AutoCloseable {
    private final EventParser parser = new EventParser();
    private final EventBody body;
    private final URI base;
    private final Duration silence;
    private final ErrorCode unreachable;

    EventFeed(EventBody body, URI base, Duration silence, ErrorCode unreachable) {
        this.body = body;
        this.base = base;
        this.silence = silence;
        this.unreachable = unreachable;
    }

    /**
     * The next event, or null when the server has ended the feed.
     *
     * @throws AnepException the caller's code for "unreachable" if the connection breaks, or if nothing comes for the client's time-out, not
     *         even the comment with which a server shows that it lives; EE-405 if an event is longer than 64 KiB
     */
    public Event next() {
        Event event = parser.poll();
        while (event == null) {
            EventBody.Piece piece = take();
            if (piece.error() != null) {
                throw new AnepException(unreachable, base + " broke the connection: " + Exchange.reason(piece.error()), piece.error());
            }
            if (piece.octets() == null) {
                // Asked again, it is still the end.
                body.pieces().add(piece);
                return null;
            }
            parse(piece);
            body.more();
            event = parser.poll();
        }
        return event;
    }

    private EventBody.Piece take() {
        try {
            EventBody.Piece piece = body.pieces().poll(silence.toNanos(), TimeUnit.NANOSECONDS);
            if (piece == null) {
                throw new AnepException(unreachable, base + " has sent nothing for " + silence.toMillis() + " ms");
            }
            return piece;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(unreachable, "interrupted while waiting for " + base, e);
        }
    }

    private void parse(EventBody.Piece piece) {
        try {
            for (ByteBuffer octets : piece.octets()) {
                parser.feed(octets);
            }
        } catch (BoundedBody.TooLong e) {
            throw new AnepException(ErrorCode.TOO_LARGE, base + " sends an event of more than the " + EventParser.MOST
                    + " octets that are allowed", e);
        }
    }

    /** Ends the connection. */
    @Override
    public void close() {
        body.cancel();
    }

    /**
     * One server-sent event.
     *
     * @param name what the server calls this kind of event; {@code message} if it says nothing
     * @param data text; its lines are separated by a line feed
     */
    public record Event(String name, String data) {
    }
}
