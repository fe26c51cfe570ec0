package org.tamanoir.transfer.copy;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Content;

/** One stream of a copy: takes pieces, reads them at one end and writes them at the other, with some under way at each. A stream that is lost is opened again. */
final class Worker extends Thread {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    /** Small files under way. */
    private static final int MOST_PIECES = 256;
    /** Extents under way, of a stream that carries little: the next one comes behind the one before. */
    private static final int LEAST_EXTENTS = 2;
    /**
     * Extents under way, of one that carries much: what it carries in a second. Whoever sends hears a round trip late that there is room for more, and if it has nothing to
     * send meanwhile TCP takes what it has sent for what the path carries. What is under way may be sent twice when the stream is lost.
     */
    static final int MOST_EXTENTS = 8;
    /** In the last second only so much of it: who gets slower then would be waited for by all. */
    private static final int LAST_PART = 4;
    /** Extents that have come to this machine and wait for its disk, while others come. */
    private static final int MOST_SYNCED = 2;
    private static final long SECOND = 1_000_000_000L;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private final Copy copy;
    private final int number;
    private final long mostOctets;
    /** Whether it writes on this machine what it reads elsewhere. */
    private final boolean comesHere;
    private final End source;
    private final End destination;
    private final ArrayDeque<Piece> asked = new ArrayDeque<>();
    private final ArrayDeque<Piece> given = new ArrayDeque<>();
    /** Of the stream that it has now: those that were lost had others. */
    private int life;
    private volatile boolean idle;
    /** What it has carried in the last second, about; 0 while that is not known. */
    private long octetsInSecond;
    /** Of what it carries: those since then are not in it yet. */
    private long counted;
    private long countedFrom = System.nanoTime();

    /** @param extent octets of the largest piece */
    Worker(Copy copy, int number, End source, End destination, int extent) {
        super("copy stream " + number);
        setDaemon(true);
        this.copy = copy;
        this.comesHere = !(source instanceof End.Local) && destination instanceof End.Local;
        this.mostOctets = (comesHere ? LEAST_EXTENTS + MOST_SYNCED : LEAST_EXTENTS) * (long) extent;
        this.number = number;
        this.source = source;
        this.destination = destination;
    }

    @Override
    public void run() {
        long pause = FIRST_PAUSE_MILLIS;
        try {
            while (awaitWork(false)) {
                long before = copy.movedOctets();
                try (Lane lane = destination.lane(number, source, copy)) {
                    work(lane.from(), lane.to());
                } catch (AnepException e) {
                    if (Refusal.isFor(e.code())) {
                        copy.fail(e);
                        return;
                    }
                    LOG.info("stream {} is lost: {}", number, e.getMessage());
                    copy.lost(id(), e);
                    pause = copy.movedOctets() > before ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
                    Thread.sleep(pause);
                } finally {
                    closed();
                }
            }
        } catch (InterruptedException e) {
            copy.lost(id(), new AnepException(ErrorCode.STOPPING, "the copy has been interrupted", e));
            closed();
        } catch (RuntimeException e) {
            copy.fail(new AnepException(ErrorCode.INTERNAL, "a stream of the copy has failed: " + e, e));
        }
    }

    /** What the plan knows the present stream by. */
    private int id() {
        return life * CopyOptions.MOST_STREAMS + number;
    }

    private void work(Port from, Sink to) throws InterruptedException {
        try {
            carry(from, to);
        } catch (AnepException e) {
            // The source is lost. What has come from it need not come again.
            while (comesHere && !given.isEmpty()) {
                settle(to);
            }
            throw e;
        }
    }

    private void carry(Port from, Sink to) throws InterruptedException {
        while (true) {
            while (hasRoom()) {
                Piece piece = copy.next(number, id());
                if (piece == null) {
                    break;
                }
                if (from == null) {
                    copy.pace(piece.octets());
                    given.add(piece);
                    to.give(piece, null);
                } else {
                    from.ask(piece);
                    asked.add(piece);
                }
            }
            if (!given.isEmpty() && (asked.isEmpty() || given.size() >= MOST_PIECES / 2 || extents(given) >= mostGiven())) {
                settle(to);
            } else if (!asked.isEmpty()) {
                pass(from, to);
            } else {
                if (!awaitWork(true)) {
                    return;
                }
            }
        }
    }

    private boolean awaitWork(boolean open) throws InterruptedException {
        idle = true;
        boolean more = copy.awaitWork(number, open);
        idle = !more;
        return more;
    }

    /** Whether it has nothing under way. */
    boolean isIdle() {
        return idle;
    }

    private boolean hasRoom() {
        int pieces = asked.size() + given.size();
        if (pieces == 0) {
            return true;
        }
        int extents = extents(asked);
        long octets = octets(asked);
        if (pieces >= MOST_PIECES || octets + octets(given) >= mostOctets) {
            return false;
        }
        if (!comesHere) {
            extents += extents(given);
            octets += octets(given);
        }
        return extents < LEAST_EXTENTS || extents < MOST_EXTENTS && octets < (copy.isEnding() ? octetsInSecond / LAST_PART : octetsInSecond);
    }

    /** Extents that may wait for the destination while others come. Between two that are both elsewhere half of them are on either way. */
    private int mostGiven() {
        if (source instanceof End.Local) {
            return MOST_EXTENTS;
        }
        return comesHere ? MOST_SYNCED : Math.max(1, extents(asked));
    }

    private void count(int octets) {
        counted += octets;
        long now = System.nanoTime();
        if (now - countedFrom >= SECOND / 2) {
            octetsInSecond = (long) ((double) counted * SECOND / (now - countedFrom));
            counted = 0;
            countedFrom = now;
        }
    }

    private static long octets(ArrayDeque<Piece> pieces) {
        long octets = 0;
        for (Piece piece : pieces) {
            octets += piece.octets();
        }
        return octets;
    }

    /** Those that are parts of files. */
    private static int extents(ArrayDeque<Piece> pieces) {
        int extents = 0;
        for (Piece piece : pieces) {
            extents += piece.file().small ? 0 : 1;
        }
        return extents;
    }

    /** Brings the first piece that was asked for from one end to the other. */
    private void pass(Port from, Sink to) throws InterruptedException {
        Piece piece = asked.element();
        Content content;
        try {
            content = from.take();
        } catch (PieceFailed e) {
            asked.remove();
            copy.failed(id(), piece, e);
            return;
        }
        asked.remove();
        if (!copy.isWanted(piece)) {
            copy.failed(id(), piece, null);
            return;
        }
        int octets = content.body().remaining();
        copy.pace(octets);
        copy.left(piece.octets() - octets);
        given.add(piece);
        to.give(piece, content);
    }

    private void settle(Sink to) throws InterruptedException {
        Piece piece = given.element();
        try {
            to.settle();
            given.remove();
            count(piece.octets());
            copy.done(id(), piece);
        } catch (PieceFailed e) {
            given.remove();
            copy.failed(id(), piece, e);
        }
    }

    private void closed() {
        asked.clear();
        given.clear();
        octetsInSecond = 0;
        life++;
    }
}
