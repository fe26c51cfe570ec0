package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.FilterText;
import org.tamanoir.services.interest.tree.Neighbour;
import org.tamanoir.services.interest.tree.Sink;
import org.tamanoir.interest.wire.FrameReader;
import org.tamanoir.interest.wire.Frames;

/** What one neighbour says and is told; all of it holding its space, but {@link #flush}. */
abstract class Link implements Sink {
    final Space space;
    final Outbox outbox;
    /** When something was said to it last, and heard of it. */
    long saidAt;
    long heardAt;
    /** Null until it is known what it is. */
    Neighbour neighbour;
    /** A program has been refused, and is being told. */
    AnepException refused;
    private final FrameReader reader;
    private boolean touched;

    Link(Space space) {
        this.space = space;
        this.outbox = new Outbox(space.settings(), space.counters());
        this.reader = new FrameReader(Frames.LONGEST);
        saidAt = space.nanoTime();
        heardAt = saidAt;
    }

    /** Sends what waits, soon. Any thread. */
    abstract void flush();

    /** Ends it. */
    abstract void cut(AnepException why);

    /** How it is called where operators look. */
    abstract String name();

    /** Octets that it has sent. @throws AnepException what they are refused with */
    final void take(ByteBuf octets) {
        if (refused != null) {
            throw refused;
        }
        heardAt = space.nanoTime();
        reader.take(octets, this::frame);
        if (refused != null) {
            throw refused;
        }
    }

    private void frame(int kind, ByteBuf in, int body, int end) {
        int length = end - body;
        switch (kind) {
            case Frames.EVENT -> space.event(this, in, body, end);
            case Frames.SUBSCRIBE -> {
                Frames.check(length > Integer.BYTES, kind, length);
                String filter = in.toString(body + Integer.BYTES, length - Integer.BYTES, StandardCharsets.UTF_8);
                space.core().subscribe(space.joined(this), in.getInt(body), FilterText.read(filter));
            }
            case Frames.UNSUBSCRIBE -> {
                Frames.check(length == Integer.BYTES, kind, length);
                space.core().unsubscribe(space.joined(this), in.getInt(body));
            }
            case Frames.READY -> {
                Frames.check(length == Integer.BYTES, kind, length);
                space.core().ready(space.joined(this), in.getInt(body));
            }
            case Frames.PING -> Frames.check(length == 0, kind, length);
            case Frames.DROPPED -> {
                Frames.check(length == 1 + Long.BYTES, kind, length);
                space.dropped(this, in.getLong(body + 1));
            }
            default -> special(kind, in, body, end);
        }
    }

    /** What only some neighbours say. @throws AnepException EE-109 for what this one does not */
    void special(int kind, ByteBuf in, int body, int end) {
        throw new AnepException(ErrorCode.BAD_CONTENT, "a frame of kind " + kind + ", which this neighbour does not send");
    }

    /** Something to be said. */
    final void say(ByteBuf frame) {
        try {
            outbox.say(frame);
            touch();
        } catch (AnepException e) {
            refuse(e);
        }
    }

    private void touch() {
        if (!touched) {
            touched = true;
            space.touched(this);
        }
    }

    /** At the end of a turn. */
    final void sendWaiting() {
        touched = false;
        saidAt = space.nanoTime();
        flush();
    }

    @Override
    public final void subscribe(int number, Filter filter) {
        say(Frames.subscribe(number, FilterText.write(filter)));
    }

    @Override
    public final void unsubscribe(int number) {
        say(Frames.numbered(Frames.UNSUBSCRIBE, number));
    }

    @Override
    public final void ready(int number) {
        say(Frames.numbered(Frames.READY, number));
    }

    @Override
    public final void event(ByteBuf in, int index, int length) {
        outbox.event(in, index, length);
        touch();
    }

    @Override
    public final void refuse(AnepException why) {
        if (refused == null) {
            refused = why;
            cut(why);
        }
    }
}
