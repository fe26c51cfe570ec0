package org.tamanoir.transfer.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.transfer.queue.LinkHistory;
import org.tamanoir.transfer.queue.Transfer;

/**
 * Transfers and what was measured of links in PostgreSQL, so that another machine goes on with the queue when this one is lost. Who opens it takes it over: each writer
 * has a number, and one whose number is not the newest writes nothing more, whatever it has missed.
 */
final class TransferDatabase implements TransferStore {
    private static final ObjectMapper JSON = JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    private static final int PATIENCE_SECONDS = 2;

    private final Database database;
    private final String name;
    private final long writer;

    TransferDatabase(String url, String password) {
        this.database = Database.open(new Database.Settings("queue", List.of("org.tamanoir.transfer.db"), null, url, password, PATIENCE_SECONDS));
        try {
            this.writer = database.write(handle -> {
                handle.createUpdate("INSERT INTO transfer_queue (name, writer) SELECT :name, 0 WHERE NOT EXISTS (SELECT 1 FROM transfer_queue)").bind("name", UUID.randomUUID().toString()).execute();
                return handle.createQuery("UPDATE transfer_queue SET writer = writer + 1 RETURNING writer").mapTo(Long.class).one();
            });
            this.name = database.read(handle -> handle.createQuery("SELECT name FROM transfer_queue").mapTo(String.class).one());
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Transfer> transfers() {
        return database.read(handle -> handle.createQuery("SELECT id, value FROM transfer ORDER BY number").map((row, context) -> read(row.getString(1), row.getString(2), Transfer.class)).list());
    }

    @Override
    public Map<String, LinkHistory> links() {
        Map<String, LinkHistory> all = new LinkedHashMap<>();
        database.read(handle -> handle.createQuery("SELECT link, value FROM transfer_link").map((row, context) -> all.put(row.getString(1), read(row.getString(1), row.getString(2), LinkHistory.class))).list());
        return all;
    }

    @Override
    public void keep(Collection<Transfer> changed) {
        write(handle -> {
            PreparedBatch batch = handle.prepareBatch("INSERT INTO transfer (number, id, state, value) VALUES (:number, :id, :state, CAST(:value AS jsonb))"
                    + " ON CONFLICT (id) DO UPDATE SET state = excluded.state, value = excluded.value");
            changed.forEach(one -> batch.bind("number", one.number()).bind("id", one.id()).bind("state", one.state().name()).bind("value", json(one)).add());
            batch.execute();
        });
    }

    @Override
    public void forget(Collection<String> ids) {
        write(handle -> {
            PreparedBatch batch = handle.prepareBatch("DELETE FROM transfer WHERE id = :id");
            ids.forEach(id -> batch.bind("id", id).add());
            batch.execute();
        });
    }

    @Override
    public void keep(String link, LinkHistory history) {
        write(handle -> handle.createUpdate("INSERT INTO transfer_link (link, value) VALUES (:link, CAST(:value AS jsonb)) ON CONFLICT (link) DO UPDATE SET value = excluded.value").bind("link", link)
                .bind("value", json(history)).execute());
    }

    private void write(Consumer<Handle> change) {
        database.write(handle -> {
            // The row is locked until the change is there: who takes the queue over waits for it, and reads it.
            if (handle.createQuery("SELECT writer FROM transfer_queue FOR SHARE").mapTo(Long.class).one() != writer) {
                throw new AnepException(ErrorCode.NO_DATABASE, "another queue has taken the database over");
            }
            change.accept(handle);
            return null;
        });
    }

    @Override
    public void check() {
        database.check();
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T read(String key, String json, Class<T> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw new AnepException(ErrorCode.STORE_FAILED, "'" + key + "' of the queue in the database cannot be read: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
