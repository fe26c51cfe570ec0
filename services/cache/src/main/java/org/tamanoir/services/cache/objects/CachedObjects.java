package org.tamanoir.services.cache.objects;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.tamanoir.service.Store;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.rules.Reason;
import org.tamanoir.services.cache.rules.Stored;
import org.tamanoir.services.cache.rules.Variant;

/**
 * All that is kept, and all that is coming, which is read while it grows. Which objects stay when there is no room for all is decided by W-TinyLFU, as soon as an object is whole or given up. For any thread, by one lock.
 */
public final class CachedObjects {
    /** Octets on their way to the disk, of all fills, at which whoever brings more has to wait; half of what the node lets wait. */
    private static final long MOST_SAVING = 32L << 20;
    /** Octets of a fill that are held for its readers when the disk refuses. */
    private static final long MOST_HELD = 4L << 20;
    /** Octets in front of a fill for which a reader rather waits than asks the origin itself. */
    private static final long NEAR = 8L << 20;
    /** Octets of a fill after which what has come is written into the record, so that a restart finds it. */
    private static final int SAVE_EVERY = 32;

    private final BlockTier tier;
    private final Records records;
    private final Predicate<String> pinned;
    private final Notes notes = new Notes();
    private final Map<String, List<CachedObject>> byKey = new HashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();
    /** Fills that wait for the disk. */
    private final Set<Fill> held = new LinkedHashSet<>();
    private long saving;
    private final Admission admission;

    /**
     * @param most   octets on the disk
     * @param pinned whether the URL of an object says that it stays
     */
    public CachedObjects(BlockTier tier, Store store, long most, Predicate<String> pinned, Logger log) {
        this.tier = tier;
        this.records = new Records(store, log);
        this.pinned = pinned;
        this.admission = new Admission(most, pinned);
    }

    /** Reads what was kept before. */
    public synchronized void load() {
        for (CachedObject object : records.load()) {
            byKey.computeIfAbsent(object.key(), key -> new ArrayList<>()).add(object);
            object.listed = true;
            for (String block : object.blocks) {
                if (block != null) {
                    uses.merge(block, 1, Integer::sum);
                }
            }
            object.recorded = true;
            admit(object);
        }
    }

    private void admit(CachedObject object) {
        admission.admit(object).forEach(this::drop);
    }

    /** The URL in a key. */
    public static String urlOf(String key) {
        return key.substring(key.indexOf(' ') + 1);
    }

    public Notes notes() {
        return notes;
    }

    public BlockTier tier() {
        return tier;
    }

    /** What is kept, or coming, for a request; null if nothing. */
    public synchronized CachedObject find(String key, Head request) {
        List<CachedObject> variants = byKey.getOrDefault(key, List.of());
        for (int i = variants.size() - 1; i >= 0; i--) {
            CachedObject object = variants.get(i);
            if (!object.failed && Variant.fits(object.variant(), request)) {
                admission.asked(object);
                return object;
            }
        }
        return null;
    }

    public synchronized Stored stored(CachedObject object) {
        return object.stored;
    }

    public synchronized long length(CachedObject object) {
        return object.length;
    }

    /** Whether all of it is on the disk. */
    public synchronized boolean isComplete(CachedObject object) {
        return object.complete;
    }

    // Objects.

    /** A new object, in place of what there was for the same requests. What is still being read of that one goes on. */
    public synchronized CachedObject add(String key, Map<String, String> variant, Stored stored, long length) {
        CachedObject object = new CachedObject(key, Ids.of(key, variant), variant, stored, length);
        for (CachedObject before : List.copyOf(byKey.getOrDefault(key, List.of()))) {
            if (before.variant().equals(object.variant())) {
                drop(before);
            }
        }
        byKey.computeIfAbsent(key, each -> new ArrayList<>()).add(object);
        object.listed = true;
        return object;
    }

    /** An object of which a part comes: the one that is there, if it is the same, or a new one. */
    public synchronized CachedObject addPart(String key, Map<String, String> variant, Stored stored, long length) {
        for (CachedObject before : byKey.getOrDefault(key, List.of())) {
            if (!before.failed && before.variant().equals(variant) && before.length == length && stored.etag().equals(before.stored.etag())) {
                freshen(before, stored);
                return before;
            }
        }
        return add(key, variant, stored, length);
    }

    /** The origin has said that an object still holds. */
    public synchronized void freshen(CachedObject object, Stored stored) {
        object.stored = stored;
        if (object.listed && object.recorded) {
            records.saveHead(object);
        }
    }

    /** Nobody gets it any more, but for those who are reading it. */
    public synchronized void drop(CachedObject object) {
        if (object.listed) {
            object.listed = false;
            List<CachedObject> variants = byKey.get(object.key());
            variants.remove(object);
            if (variants.isEmpty()) {
                byKey.remove(object.key());
            }
            admission.forget(object);
            if (object.recorded) {
                records.remove(object);
            }
        }
        release(object);
    }

    /** Nobody gets any more octets of it: they were wrong. */
    public synchronized void fail(CachedObject object, Reason reason) {
        if (!object.failed) {
            object.failed = true;
            notes.note(object.key(), reason);
        }
        drop(object);
        object.wake();
    }

    /** Drops all variants of a URL at an origin (RFC 9111, section 4.4). */
    public synchronized int invalidate(String key) {
        List<CachedObject> variants = List.copyOf(byKey.getOrDefault(key, List.of()));
        variants.forEach(this::drop);
        return variants.size();
    }

    /** Drops what has a URL, or one that begins so. */
    public synchronized int purge(String url, boolean isPrefix) {
        List<CachedObject> found = new ArrayList<>(all(url, isPrefix));
        found.forEach(this::drop);
        return found.size();
    }

    /** Objects with a URL, or with one that begins so. */
    public synchronized List<CachedObject> all(String url, boolean isPrefix) {
        List<CachedObject> found = new ArrayList<>();
        byKey.forEach((key, variants) -> {
            String its = urlOf(key);
            if (isPrefix ? its.startsWith(url) : its.equals(url)) {
                found.addAll(variants);
            }
        });
        return found;
    }

    private void release(CachedObject object) {
        if (object.listed || object.readers > 0 || !object.fills.isEmpty()) {
            return;
        }
        for (int i = 0; i < object.blocks.length; i++) {
            forget(object, i);
        }
    }

    private void forget(CachedObject object, int block) {
        String name = object.block(block);
        if (name != null) {
            object.blocks[block] = null;
            object.kept -= object.size(block);
            object.complete = false;
            if (uses.merge(name, -1, Integer::sum) == 0) {
                uses.remove(name);
                tier.remove(name);
            }
        }
    }

    // Fills.

    /** An origin begins to bring octets of an object. */
    public synchronized Fill begin(CachedObject object, long start, long until, Waiter owner) {
        Fill fill = new Fill(object, start, until, owner);
        object.fills.add(fill);
        if (start == until) {
            end(fill, true);
        }
        return fill;
    }

    /** Another stream brings the rest. */
    public synchronized boolean goOn(Fill fill, Waiter owner) {
        if (fill.owner != null || fill.object.failed || !fill.object.fills.contains(fill)) {
            return false;
        }
        fill.owner = owner;
        return true;
    }

    /** The origin has confirmed what a fill had before it went on. */
    public synchronized void confirmed(Fill fill) {
        fill.doubtful = false;
    }

    /**
     * Octets have come.
     *
     * @return whether the disk keeps up; if not, the origin has to wait until the owner is woken
     */
    public synchronized boolean append(Fill fill, ByteBuf from, int index, int length) {
        for (int done = 0; done < length;) {
            done += fill.take(from, index + done, length - done);
            if (fill.isBlockFull()) {
                finish(fill);
            }
        }
        fill.object.wake();
        return mayGoOn(fill);
    }

    /** Whether more may come. */
    public synchronized boolean mayGoOn(Fill fill) {
        boolean may = fill.diskless ? fill.octetsHeld() < MOST_HELD : saving < MOST_SAVING || fill.saving == 0;
        if (!may) {
            held.add(fill);
        }
        return may;
    }

    /** Whoever waits for the disk looks again. */
    private void wakeHeld() {
        List<Fill> all = List.copyOf(held);
        held.clear();
        all.stream().filter(each -> each.owner != null).forEach(each -> each.owner.wake());
    }

    private void finish(Fill fill) {
        CachedObject object = fill.object;
        int index = fill.index();
        byte[] block = fill.finishBlock();
        if (block == null || fill.diskless || object.block(index) != null) {
            return;
        }
        fill.saving += block.length;
        saving += block.length;
        tier.save(block).whenComplete((name, failure) -> saved(fill, index, block, name));
    }

    private synchronized void saved(Fill fill, int index, byte[] block, String name) {
        CachedObject object = fill.object;
        fill.saving -= block.length;
        saving -= block.length;
        if (name == null) {
            fill.diskless = true;
        } else if (object.failed || object.block(index) != null || !object.listed && object.readers == 0 && !object.fills.contains(fill)) {
            if (!uses.containsKey(name)) {
                tier.remove(name);
            }
        } else {
            object.block(index, name);
            object.kept += block.length;
            uses.merge(name, 1, Integer::sum);
            fill.release(index);
            if (fill.owner != null && object.listed && object.stored.isStrong() && index % SAVE_EVERY == SAVE_EVERY - 1) {
                save(object);
            }
        }
        wakeHeld();
        settle(object);
    }

    /**
     * The transfer of the owner is over.
     *
     * @param isWhole whether it was all that the origin had promised to it
     */
    public synchronized void end(Fill fill, boolean isWhole) {
        CachedObject object = fill.object;
        fill.owner = null;
        if (isWhole && fill.until == Long.MAX_VALUE) {
            fill.ends();
            if (fill.isBlockFull() || fill.frontier() % CachedObject.BLOCK != 0) {
                finish(fill);
            }
            object.length = fill.frontier();
        }
        fill.doubtful |= !isWhole;
        object.wake();
        settle(object);
    }

    /** The owner is gone; the next reader may go on. */
    public synchronized void leave(Fill fill) {
        fill.owner = null;
        fill.object.wake();
        settle(fill.object);
    }

    /** Ends fills for which nothing is under way, and decides whether the object stays. */
    private void settle(CachedObject object) {
        boolean wanted = object.readers > 0 && !object.failed;
        boolean gaveUp = false;
        for (Fill fill : List.copyOf(object.fills)) {
            boolean over = fill.owner == null && fill.saving == 0 && (fill.isThrough() || !wanted);
            // A part of a block may still be read: it goes with the last reader.
            if (over && (!wanted || fill.octetsHeld() == 0)) {
                object.fills.remove(fill);
                gaveUp |= !fill.isThrough() || fill.doubtful || fill.diskless;
                if (fill.doubtful) {
                    fail(object, Reason.SHORT);
                }
            }
        }
        if (!object.fills.isEmpty()) {
            list(object);
            return;
        }
        if (gaveUp && !object.stored.isStrong() && !object.failed) {
            notes.note(object.key(), Reason.LOST);
            drop(object);
        }
        list(object);
        release(object);
    }

    /** Lets the index decide about an object to which nothing more comes. */
    private void list(CachedObject object) {
        boolean brings = object.fills.stream().anyMatch(fill -> fill.owner != null || fill.saving > 0 || !fill.isThrough());
        if (!object.listed || brings || object.complete) {
            return;
        }
        object.complete = object.length != CachedObject.UNKNOWN && object.kept == object.length;
        if (object.complete || object.kept > 0 && object.stored.isStrong()) {
            save(object);
            admit(object);
        } else if (object.fills.isEmpty()) {
            drop(object);
        }
    }

    private void save(CachedObject object) {
        object.recorded = true;
        records.save(object);
    }

    // Readers.

    /** Somebody begins to read an object. */
    public synchronized void read(CachedObject object) {
        object.readers++;
        object.hits++;
    }

    /** And has read enough. */
    public synchronized void leave(CachedObject object) {
        object.readers--;
        settle(object);
    }

    /**
     * What there is at a place of an object.
     *
     * @param until  where the reader stops; the largest number for the end
     * @param waiter who is woken if it is to wait
     */
    public synchronized Piece piece(CachedObject object, long offset, long until, Waiter waiter) {
        if (object.failed) {
            return Piece.GONE;
        }
        if (offset >= until || offset == object.length) {
            return Piece.END;
        }
        long most = Math.min(Integer.MAX_VALUE, until - offset);
        Fill coming = null;
        for (Fill fill : object.fills) {
            if (fill.owner == waiter) {
                fill.passed(offset);
            }
            Piece has = fill.at(offset, most);
            if (has != null) {
                return has;
            }
            boolean isNear = offset - fill.frontier() <= NEAR || !object.stored.isStrong();
            if (fill.isBefore(offset) && isNear && (coming == null || coming.owner == null)) {
                coming = fill;
            }
        }
        String name = object.block(object.index(offset));
        if (name != null) {
            return kept(object, name, offset, most);
        }
        if (coming != null && coming.owner != null) {
            object.await(waiter);
            return Piece.WAIT;
        }
        if (!object.stored.isStrong() || object.length == CachedObject.UNKNOWN) {
            return Piece.GONE;
        }
        return coming == null ? object.ask(offset, Math.min(until, object.length))
                : Piece.ask(coming, coming.frontier(), Math.min(coming.until, Math.max(until, coming.frontier() + 1)));
    }

    private Piece kept(CachedObject object, String name, long offset, long most) {
        byte[] block = tier.inMemory(name);
        if (block == null) {
            return Piece.disk(name);
        }
        int at = (int) (offset % CachedObject.BLOCK);
        return Piece.data(block, at, (int) Math.min(most, block.length - at));
    }

    /** The first octets that are neither there nor coming and that the origin can be asked for; null if there are none. */
    public synchronized Piece gap(CachedObject object, long from, long until) {
        boolean canAsk = !object.failed && !object.complete && object.stored.isStrong() && object.length != CachedObject.UNKNOWN;
        long end = Math.min(until, object.length);
        long missing = canAsk ? object.missing(from, end) : end;
        return missing < end ? object.ask(missing, end) : null;
    }

    /** A block is gone, or was damaged. */
    public synchronized void lost(CachedObject object, String name) {
        for (int i = 0; i < object.blocks.length; i++) {
            if (name.equals(object.blocks[i])) {
                forget(object, i);
            }
        }
    }

    /** Objects that are kept. */
    public synchronized long count() {
        return admission.count();
    }

    /** Octets of blocks that are kept, each counted once for every object that has it. */
    public synchronized long octets() {
        return byKey.values().stream().flatMap(List::stream).mapToLong(object -> object.kept).sum();
    }

    /** What an operator is told of an object. */
    public synchronized Map<String, Object> report(CachedObject object, long nowMillis, double heuristic) {
        return Reports.of(object, nowMillis, heuristic, pinned.test(urlOf(object.key())));
    }
}
