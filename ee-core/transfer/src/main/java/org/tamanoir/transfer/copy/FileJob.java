package org.tamanoir.transfer.copy;

import java.util.HashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.transfer.FileStamp;

/** A file that is copied. Guarded by its copy. */
final class FileJob {
    /** Times that a piece may arrive changed before something is wrong with more than it. */
    private static final int MOST_DAMAGED = 10;

    final String from;
    final String to;
    final FileStamp stamp;
    /** Whether it goes in one piece, and gets its name with it. */
    final boolean small;
    /** Pieces that are not home. */
    int left;
    AnepException failure;
    /** Of its part, once it is begun. */
    long inode;
    /** How often the pieces arrived changed that did, by their offsets. */
    private final Map<Long, Integer> damaged = new HashMap<>();

    FileJob(String from, String to, FileStamp stamp, boolean small) {
        this.from = from;
        this.to = to;
        this.stamp = stamp;
        this.small = small;
    }

    /** A piece has arrived changed. @return whether it may be tried again */
    boolean mayTryAgain(Piece piece) {
        return damaged.merge(piece.offset(), 1, Integer::sum) <= MOST_DAMAGED;
    }
}
