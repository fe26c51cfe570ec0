package org.tamanoir.node.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.StringDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.node.store.ServiceStore.Put;
import org.tamanoir.service.Store;

/**
 * The file of one service: a map of the MVStore that is opened when somebody wants it, and anew after the disk has failed. One that is
 * damaged is set aside. Every {@link #keep} is on the disk when it returns.
 */
final class KeptFile {
    private static final Logger LOG = LoggerFactory.getLogger(KeptFile.class);
    private static final int CACHE_MEGABYTES = 4;
    /**
     * How long space that is free stays untouched, for what reads it in the middle of a crash. Every commit is followed by a sync before the
     * next, so a moment is enough; the preset of 45 s lets the file grow by what is written in that time.
     */
    private static final int RETENTION_MILLIS = 500;
    /** Commits between two looks at how full the file is. */
    private static final int COMMITS_A_LOOK = 512;
    /** Percent of the octets of chunks that are in use below which they are written together. */
    private static final int FILL = 50;
    private static final int MOST_MOVED = 4 << 20;
    /** What is moved together when the file is closed takes no longer. */
    private static final int LAST_MILLIS = 200;

    /** The disk refuses. */
    static final class DiskException extends Exception {
        private static final long serialVersionUID = 1;

        DiskException(Throwable cause) {
            super(cause instanceof IOException io ? AnepException.reason(io) : cause.getMessage(), cause);
        }
    }

    private final Path path;
    /** What a commit that failed may have left in the file: the sealed values that belong there, null for none. */
    private final Map<String, byte[]> undo = new LinkedHashMap<>();
    private MVStore store;
    private MVMap<String, byte[]> map;
    private long octets;
    private int commits;

    KeptFile(Path path) {
        this.path = path;
    }

    /** Values that are kept. */
    synchronized int size() {
        return map == null ? 0 : map.size();
    }

    /** Octets of all values. */
    synchronized long octets() {
        return octets;
    }

    /** A copy of all that is kept; AnepException EE-813 if the disk refuses. */
    synchronized Map<String, byte[]> all() {
        Map<String, byte[]> copy = new LinkedHashMap<>();
        try {
            if (map == null && !Files.exists(path)) {
                return copy;
            }
            open();
            map.forEach((key, value) -> copy.put(key, Sealed.open(key, value)));
            return copy;
        } catch (DiskException | RuntimeException e) {
            throw new AnepException(ErrorCode.STORE_FAILED, "cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    /**
     * Keeps values, and returns when they survive a loss of power.
     *
     * @param refused told of each put that would pass the bounds; it changes nothing
     * @throws DiskException if the disk refuses: nothing of this has changed then
     */
    synchronized void keep(List<Put> puts, Consumer<Put> refused) throws DiskException {
        open();
        Map<String, byte[]> before = new LinkedHashMap<>();
        try {
            for (Put put : puts) {
                if (put.value() != null && !hasRoom(put)) {
                    refused.accept(put);
                } else {
                    byte[] old = put.value() == null ? map.remove(put.key()) : map.put(put.key(), Sealed.of(put.key(), put.value()));
                    octets += (put.value() == null ? 0 : put.value().length) - Sealed.length(old);
                    if (!before.containsKey(put.key())) {
                        before.put(put.key(), old);
                    }
                }
            }
            store.commit();
            store.sync();
            undo.clear();
        } catch (RuntimeException e) {
            before.forEach((key, value) -> {
                if (!undo.containsKey(key)) {
                    undo.put(key, value);
                }
            });
            discard();
            throw new DiskException(e);
        }
        tidy();
    }

    private boolean hasRoom(Put put) {
        byte[] old = map.get(put.key());
        return (old != null || map.size() < Store.MOST_KEYS) && octets + put.value().length - Sealed.length(old) <= Store.MOST_OCTETS;
    }

    /** Now and then: writes what is still used of nearly empty chunks together, so that the file stays in proportion to what it keeps. */
    private void tidy() {
        if (++commits % COMMITS_A_LOOK == 0 && store.getFillRate() < FILL) {
            try {
                store.compact(FILL, MOST_MOVED);
            } catch (RuntimeException e) {
                LOG.debug("{} stays as large as it is", path, e);
                discard();
            }
        }
    }

    private void open() throws DiskException {
        if (map != null && !store.isClosed()) {
            return;
        }
        try {
            Files.createDirectories(path.getParent());
            boolean fresh = !Files.exists(path);
            try {
                read();
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                if (!isDamage(e)) {
                    throw e;
                }
                discard();
                setAside(e);
                fresh = true;
                read();
            }
            if (fresh) {
                store.commit();
                store.sync();
                Durable.forceNames(path.getParent());
            }
        } catch (IOException | RuntimeException e) {
            discard();
            throw new DiskException(e);
        }
    }

    /** Opens the file and reads it all, which finds what is damaged now and not later. */
    private void read() {
        store = new MVStore.Builder().fileName(path.toString()).autoCommitDisabled().cacheSize(CACHE_MEGABYTES).open();
        store.setVersionsToKeep(0);
        store.setRetentionTime(RETENTION_MILLIS);
        MVMap<String, byte[]> opened = store.openMap("values", new MVMap.Builder<String, byte[]>().keyType(StringDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
        undo.forEach((key, value) -> {
            if (value == null) {
                opened.remove(key);
            } else {
                opened.put(key, value);
            }
        });
        octets = 0;
        opened.forEach((key, value) -> octets += Sealed.open(key, value).length);
        map = opened;
    }

    /** Whether the file is to blame, not the disk: what is damaged makes the MVStore throw whatever comes. */
    private static boolean isDamage(Throwable e) {
        if (!(e instanceof MVStoreException known)) {
            return true;
        }
        return switch (known.getErrorCode()) {
            case DataUtils.ERROR_READING_FAILED -> !(e.getCause() instanceof IOException) || e.getCause() instanceof EOFException;
            case DataUtils.ERROR_WRITING_FAILED, DataUtils.ERROR_CLOSED, DataUtils.ERROR_FILE_LOCKED -> false;
            default -> true;
        };
    }

    private void setAside(Throwable why) throws IOException {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged");
        Files.move(path, aside, StandardCopyOption.REPLACE_EXISTING);
        LOG.warn("{} {} is damaged and was moved to {}; its service begins with nothing: {}", ErrorCode.STORE_FAILED, path, aside,
                why.toString());
    }

    /** Lets go of the file as it is; it is opened anew when it is wanted. */
    private void discard() {
        if (store != null) {
            store.closeImmediately();
        }
        store = null;
        map = null;
    }

    synchronized void close() {
        if (store != null) {
            try {
                store.close(LAST_MILLIS);
            } catch (RuntimeException e) {
                LOG.debug("{} was not closed cleanly", path, e);
            }
        }
        store = null;
        map = null;
    }

    /** A value as it stands in the file: behind the CRC-32C (RFC 3720 appendix B.4) of its key and itself, because the MVStore checks no values. */
    static final class Sealed {
        private static final int CHECK = 4;

        private Sealed() {
        }

        static byte[] of(String key, byte[] value) {
            return ByteBuffer.allocate(CHECK + value.length).putInt(check(key, value, 0)).put(value).array();
        }

        /** @throws IllegalStateException if it is not as it was written */
        static byte[] open(String key, byte[] sealed) {
            if (sealed.length < CHECK || ByteBuffer.wrap(sealed).getInt() != check(key, sealed, CHECK)) {
                throw new IllegalStateException("a value is not as it was written");
            }
            return Arrays.copyOfRange(sealed, CHECK, sealed.length);
        }

        /** Octets of the value in it; 0 for null. */
        static long length(byte[] sealed) {
            return sealed == null ? 0 : sealed.length - CHECK;
        }

        private static int check(String key, byte[] octets, int from) {
            CRC32C crc = new CRC32C();
            crc.update(key.getBytes(StandardCharsets.UTF_8));
            crc.update(octets, from, octets.length - from);
            return (int) crc.getValue();
        }
    }
}
