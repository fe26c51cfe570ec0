package org.tamanoir.services.cache.objects;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.services.cache.rules.Stored;

/**
 * An answer that is kept, or that is being fetched: one version of one variant of a URL. Its content is in blocks of 1 MiB, of which any may be missing. Everything but
 * what never changes is guarded by the lock of {@link CachedObjects}.
 */
public final class CachedObject {
    /** Octets of a block, but for the last one of an object. */
    public static final int BLOCK = 1 << 20;
    /** Its length is not known yet. */
    public static final long UNKNOWN = -1;

    private final String key;
    private final String id;
    private final Map<String, String> variant;
    Stored stored;
    long length;
    String[] blocks = {};
    /** Octets in blocks that are on the disk. */
    long kept;
    boolean complete;
    /** It has a record in the store. */
    boolean recorded;
    /** It is in the index: who asks may get it. */
    boolean listed;
    /** Its octets are not to be trusted, or were given up: nobody gets any more of them. */
    boolean failed;
    int readers;
    long hits;
    final List<Fill> fills = new ArrayList<>();
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    CachedObject(String key, String id, Map<String, String> variant, Stored stored, long length) {
        this.key = key;
        this.id = id;
        this.variant = Map.copyOf(variant);
        this.stored = stored;
        this.length = length;
    }

    /** Where it comes from: the address of the origin, the host that was asked for, and the path. */
    public String key() {
        return key;
    }

    /** 64 hexadecimal digits: of its key and its variant. */
    String id() {
        return id;
    }

    /** The fields of requests by which it was chosen, and their values. */
    public Map<String, String> variant() {
        return variant;
    }

    int index(long offset) {
        return (int) (offset / BLOCK);
    }

    String block(int index) {
        return index < blocks.length ? blocks[index] : null;
    }

    void block(int index, String name) {
        if (index >= blocks.length) {
            blocks = Arrays.copyOf(blocks, Math.max(index + 1, length == UNKNOWN ? 2 * blocks.length : count()));
        }
        blocks[index] = name;
    }

    int count() {
        return (int) ((length + BLOCK - 1) / BLOCK);
    }

    /** Octets of a block. */
    long size(int index) {
        return length == UNKNOWN ? BLOCK : Math.min(BLOCK, length - (long) index * BLOCK);
    }

    /** The first octet of a part that stands in no block and that no fill brings; {@code until} if there is none. */
    long missing(long from, long until) {
        for (long at = from; at < until; at = (index(at) + 1L) * BLOCK) {
            long place = at;
            if (block(index(at)) == null && fills.stream().noneMatch(fill -> fill.start() <= place && place < fill.until)) {
                return at;
            }
        }
        return until;
    }

    /** Asks from the beginning of a block if that makes a whole one, up to what is there or coming. */
    Piece ask(long offset, long until) {
        int index = index(offset);
        long begin = (long) index * BLOCK;
        long start = until >= begin + size(index) ? begin : offset;
        long end = until;
        for (int i = index + 1; (long) i * BLOCK < until; i++) {
            if (block(i) != null) {
                end = (long) i * BLOCK;
                break;
            }
        }
        for (Fill fill : fills) {
            if (fill.start() > offset) {
                end = Math.min(end, fill.start());
            }
        }
        return Piece.ask(null, start, end);
    }

    void await(Waiter waiter) {
        waiters.add(waiter);
    }

    void wake() {
        if (!waiters.isEmpty()) {
            List<Waiter> all = List.copyOf(waiters);
            waiters.clear();
            all.forEach(Waiter::wake);
        }
    }
}
