package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One listener of server-sent events (the WHATWG HTML standard, "Server-sent events"). A listener that reads more slowly than events
 * come loses events, counted; it never makes the server hold more than its bound and one event.
 */
public final class EventStream {
    private final Channel channel;
    private final Runnable progress;
    private final boolean heartbeats;
    private final int bound;
    /** Octets that have not left yet. */
    private final AtomicLong pending = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param heartbeats whether it is of server-sent events, among which a comment may stand
     * @param bound      octets that may wait for the listener
     */
    EventStream(Channel channel, Runnable progress, boolean heartbeats, int bound) {
        this.channel = channel;
        this.progress = progress;
        this.heartbeats = heartbeats;
        this.bound = bound;
    }

    /**
     * Sends one event, or drops it if the listener is behind or gone. From any thread.
     *
     * @param name the event's type, one line; null for the preset {@code message}
     * @param data text of any number of lines
     * @return whether it will be sent
     */
    public boolean send(String name, String data) {
        if (!isOpen() || pending.get() >= bound) {
            dropped.incrementAndGet();
            return false;
        }
        StringBuilder text = new StringBuilder(data.length() + 32);
        if (name != null) {
            if (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
                throw new IllegalArgumentException("an event's name is one line");
            }
            text.append("event: ").append(name).append('\n');
        }
        data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
        if (data.isEmpty()) {
            text.append("data:\n");
        }
        write(text.append('\n'));
        return true;
    }

    /** Sends text as it is, of an answer that is no stream of events ({@link Response#text(int, String, java.util.function.Consumer)}). From any thread. */
    public void text(CharSequence text) {
        if (isOpen()) {
            write(text);
        }
    }

    /** Whether somebody still listens. */
    public boolean isOpen() {
        return channel.isActive() && !closed.get();
    }

    /** How many events {@link #send} has dropped. */
    public long dropped() {
        return dropped.get();
    }

    /** Calls {@code action} once the listener is gone; at once if it is gone already. Not to block: it is called on the event loop. */
    public void onClose(Runnable action) {
        channel.closeFuture().addListener(future -> action.run());
    }

    /** Ends the stream after what has been sent. */
    public void close() {
        if (!closed.getAndSet(true)) {
            channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(future -> channel.close());
        }
    }

    /** Whether something that was sent has not left yet. */
    boolean isBehind() {
        return pending.get() > 0;
    }

    /** A comment line, which listeners ignore: it shows that the connection lives. */
    void heartbeat() {
        if (heartbeats) {
            write(":\n\n");
        }
    }

    private void write(CharSequence text) {
        ByteBuf octets = ByteBufUtil.writeUtf8(channel.alloc(), text);
        int length = octets.readableBytes();
        pending.addAndGet(length);
        channel.writeAndFlush(new DefaultHttpContent(octets)).addListener(future -> {
            pending.addAndGet(-length);
            progress.run();
        });
    }
}
