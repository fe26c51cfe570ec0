package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.service.Store;

/**
 * Lines that have waited for the observatory for some seconds, over a crash of the node: in pieces, each of which goes when all of its lines have been acknowledged.
 * While the observatory answers nothing is written.
 */
final class WaitingStore {
    /** A line is written when it has waited for one to two of these. */
    static final Duration PERIOD = Duration.ofSeconds(5);
    private static final String KEY = "waiting-";
    private static final int PIECE = 60_000;
    /** 60 MB; what waits beyond is in memory alone. */
    private static final int MOST_PIECES = 1000;

    private record Piece(String key, long last, int lines) {
    }

    private final Store store;
    private final SampleBuffer lines;
    private final Consumer<Throwable> failed;
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private long number;
    private long written;
    private long waitedAlready;

    /** @param failed told when the disk refuses */
    WaitingStore(Store store, SampleBuffer lines, Consumer<Throwable> failed) {
        this.store = store;
        this.lines = lines;
        this.failed = failed;
    }

    /** Goes on with what was written before the node ended. Reads the disk. @param inherited whether all that is known has come another way */
    void load(boolean inherited) {
        Map<Long, byte[]> found = new TreeMap<>();
        store.all().forEach((key, value) -> {
            if (key.matches(KEY + "\\d{1,18}")) {
                found.put(Long.parseLong(key.substring(KEY.length())), value);
            }
        });
        found.forEach((at, value) -> {
            number = at + 1;
            if (inherited) {
                store.remove(KEY + at);
            } else {
                String text = new String(value, UTF_8);
                lines.load(text);
                pieces.add(new Piece(KEY + at, lines.last(), (int) text.lines().count()));
            }
        });
        written = inherited ? 0 : lines.last();
    }

    /** Writes what has waited since the last time, and forgets what waits no more. */
    void step() {
        while (!pieces.isEmpty() && pieces.getFirst().last < lines.first()) {
            store.remove(pieces.removeFirst().key);
        }
        written = Math.max(written, lines.first() - 1);
        for (SampleBuffer.Part part = lines.part(written, waitedAlready, PIECE); part != null && pieces.size() < MOST_PIECES; part = lines.part(written, waitedAlready, PIECE)) {
            Piece piece = new Piece(KEY + number++, part.last(), part.lines());
            pieces.addLast(piece);
            written = part.last();
            store.put(piece.key, part.text().getBytes(UTF_8)).whenComplete((done, failure) -> {
                if (failure != null) {
                    failed.accept(failure);
                }
            });
        }
        waitedAlready = lines.last();
    }

    /** Lines in these pieces. */
    int lines() {
        return pieces.stream().mapToInt(Piece::lines).sum();
    }
}
