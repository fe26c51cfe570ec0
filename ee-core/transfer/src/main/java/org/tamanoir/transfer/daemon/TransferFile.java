package org.tamanoir.transfer.daemon;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.StringDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.transfer.queue.LinkHistory;
import org.tamanoir.transfer.queue.Transfer;

/**
 * Transfers and what was measured of links, in one file of the MVStore (decision 0018). What a call has kept is on the disk when it returns. Each value stands behind a
 * CRC-32C of its key and itself, because the MVStore checks no values.
 */
final class TransferFile implements TransferStore {
    private static final Logger LOG = LoggerFactory.getLogger(TransferStore.class);
    private static final ObjectMapper JSON = JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    private static final int CACHE_MEGABYTES = 4;
    private static final int RETENTION_MILLIS = 500;
    /** Commits between two looks at how full the file is. */
    private static final int COMMITS_A_LOOK = 512;
    private static final int FILL = 50;
    private static final int MOST_MOVED = 4 << 20;
    private static final int CHECK = Integer.BYTES;

    private final Path file;
    private MVStore store;
    private MVMap<String, byte[]> transfers;
    private MVMap<String, byte[]> links;
    private MVMap<String, byte[]> names;
    private int commits;

    /** @throws AnepException EE-813 if the file cannot be read, or is not as it was written: nothing is begun anew in its place */
    TransferFile(Path directory) {
        this.file = directory.resolve("transfers.mv");
        try {
            Files.createDirectories(directory);
            boolean fresh = !Files.exists(file);
            open();
            transfers();
            links();
            if (fresh) {
                names.put("queue", sealed("queue", UUID.randomUUID().toString()));
                store.commit();
                store.sync();
                Durable.forceNames(directory);
            }
        } catch (IOException | RuntimeException e) {
            if (store != null) {
                store.closeImmediately();
            }
            throw new AnepException(ErrorCode.STORE_FAILED, "the queue in " + file + " cannot be read: " + e.getMessage() + "; what is in it is needed: only move it away to begin with nothing", e);
        }
    }

    private void open() {
        store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().cacheSize(CACHE_MEGABYTES).open();
        store.setVersionsToKeep(0);
        store.setRetentionTime(RETENTION_MILLIS);
        transfers = map("transfers");
        links = map("links");
        names = map("names");
    }

    private MVMap<String, byte[]> map(String name) {
        return store.openMap(name, new MVMap.Builder<String, byte[]>().keyType(StringDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE));
    }

    @Override
    public synchronized String name() {
        return read("queue", names.get("queue"), String.class);
    }

    @Override
    public synchronized List<Transfer> transfers() {
        List<Transfer> all = new ArrayList<>();
        transfers.forEach((id, value) -> all.add(read(id, value, Transfer.class)));
        return all;
    }

    @Override
    public synchronized Map<String, LinkHistory> links() {
        Map<String, LinkHistory> all = new LinkedHashMap<>();
        links.forEach((link, value) -> all.put(link, read(link, value, LinkHistory.class)));
        return all;
    }

    @Override
    public synchronized void keep(Collection<Transfer> changed) {
        write(() -> changed.forEach(one -> transfers.put(one.id(), sealed(one.id(), one))));
    }

    @Override
    public synchronized void forget(Collection<String> ids) {
        write(() -> ids.forEach(transfers::remove));
    }

    @Override
    public synchronized void keep(String link, LinkHistory history) {
        write(() -> links.put(link, sealed(link, history)));
    }

    @Override
    public void check() {
        // Each write says for itself.
    }

    private void write(Runnable change) {
        try {
            if (store.isClosed()) {
                open();
            }
            change.run();
            store.commit();
            store.sync();
        } catch (RuntimeException e) {
            // The MVStore does not go on after a write that failed: the file is opened anew for the next change.
            store.closeImmediately();
            throw new AnepException(ErrorCode.STORE_FAILED, "the queue in " + file + " cannot be written: " + e.getMessage(), e);
        }
        if (++commits % COMMITS_A_LOOK == 0 && store.getFillRate() < FILL) {
            try {
                store.compact(FILL, MOST_MOVED);
            } catch (RuntimeException e) {
                LOG.debug("{} stays as large as it is", file, e);
                store.closeImmediately();
            }
        }
    }

    private static byte[] sealed(String key, Object value) {
        try {
            byte[] json = JSON.writeValueAsBytes(value);
            return ByteBuffer.allocate(CHECK + json.length).putInt(check(key, json)).put(json).array();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T read(String key, byte[] sealed, Class<T> type) {
        byte[] json = sealed == null || sealed.length < CHECK ? new byte[0] : Arrays.copyOfRange(sealed, CHECK, sealed.length);
        try {
            if (json.length == 0 || ByteBuffer.wrap(sealed).getInt() != check(key, json)) {
                throw new IOException("it is not as it was written");
            }
            return JSON.readValue(json, type);
        } catch (IOException e) {
            throw new IllegalStateException("'" + key + "': " + e.getMessage(), e);
        }
    }

    private static int check(String key, byte[] octets) {
        CRC32C sum = new CRC32C();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        sum.update(octets);
        return (int) sum.getValue();
    }

    @Override
    public synchronized void close() {
        // Everything is on the disk. Without time to compact: that has failed by an assertion of the MVStore here, in a file of a few commits.
        if (!store.isClosed()) {
            store.close(0);
        }
    }
}
