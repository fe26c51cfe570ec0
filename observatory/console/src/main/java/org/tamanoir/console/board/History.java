package org.tamanoir.console.board;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.tamanoir.console.board.Board.Frame;

/**
 * The frames of the last minutes, in parts of a minute that can be read one by one: a part is lines of JSON, at first the whole as it was, then frames. Parts that are
 * over are compressed. Bounded by time and by octets, whatever comes. For any thread.
 */
public final class History {
    /** What a console can look back. */
    public static final long MILLIS = 15 * 60_000;
    static final long PART_MILLIS = 60_000;
    /** Of the part that grows, uncompressed; beyond it the next one begins. */
    static final int MOST_OF_PART = 4 << 20;

    /**
     * A part.
     *
     * @param number from 1
     * @param from   milliseconds since 1970
     * @param to     of its last frame
     * @param octets compressed; of the one that grows, not
     */
    public record Part(long number, long from, long to, long octets) {
    }

    private static final class Kept {
        final long number;
        final long from;
        long to;
        /** Null once it is compressed. */
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        byte[] compressed;

        Kept(long number, long from) {
            this.number = number;
            this.from = from;
        }

        Part part() {
            return new Part(number, from, to, lines == null ? compressed.length : lines.size());
        }
    }

    private final long millis;
    private final long most;
    private final Deque<Kept> parts = new ArrayDeque<>();
    private final Consumer<byte[]> closed;
    private long last;

    /**
     * @param millis how long a part is kept after its last frame
     * @param most   octets of all parts together, of which the oldest go first
     * @param closed is given each part when it is over, compressed
     */
    public History(long millis, long most, Consumer<byte[]> closed) {
        this.millis = millis;
        this.most = most;
        this.closed = closed;
    }

    /** @param whole {@link Board#all} after these frames, asked for when a part begins */
    public synchronized void add(List<Frame> frames, Supplier<String> whole) {
        long now = frames.get(0).time();
        Kept open = parts.peekLast();
        if (open == null || open.lines == null || now - open.from >= PART_MILLIS || now < open.to || open.lines.size() > MOST_OF_PART) {
            close(open);
            open = new Kept(++last, now);
            parts.addLast(open);
            line(open, whole.get());
        } else {
            for (Frame frame : frames) {
                line(open, frame.json());
            }
        }
        open.to = now;
        forget(now);
    }

    private static void line(Kept part, String json) {
        part.lines.writeBytes(json.getBytes(StandardCharsets.UTF_8));
        part.lines.write('\n');
    }

    private void close(Kept part) {
        if (part != null && part.lines != null) {
            part.compressed = compressed(part.lines.toByteArray());
            part.lines = null;
            closed.accept(part.compressed);
        }
    }

    /** Nothing is added any more: the last part is over. */
    public synchronized void close() {
        close(parts.peekLast());
    }

    private static byte[] compressed(byte[] octets) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            new ByteArrayInputStream(octets).transferTo(gzip);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void forget(long now) {
        long octets = parts.stream().mapToLong(part -> part.part().octets()).sum();
        while (parts.size() > 1 && (octets > most || now - parts.peekFirst().to > millis)) {
            octets -= parts.removeFirst().part().octets();
        }
    }

    /** The oldest first. */
    public synchronized List<Part> parts() {
        List<Part> all = new ArrayList<>();
        parts.forEach(part -> all.add(part.part()));
        return all;
    }

    /** The lines of a part, compressed by gzip; null if it is forgotten, or not there yet. */
    public byte[] read(long number) {
        byte[] lines;
        synchronized (this) {
            Kept found = parts.stream().filter(part -> part.number == number).findFirst().orElse(null);
            if (found == null || found.lines == null) {
                return found == null ? null : found.compressed;
            }
            lines = found.lines.toByteArray();
        }
        return compressed(lines);
    }
}
