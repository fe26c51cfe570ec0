package org.tamanoir.observatory.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.tamanoir.database.Database;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.wire.SampleLine;

/** What theodolites have found. */
public final class Samples {
    /** Session names of all times. */
    public static final int MOST_SESSIONS = 1_000_000;
    private static final int DELETED_AT_ONCE = 10_000;
    /** Lines of a transaction, or those of one request if it has more. */
    private static final int KEPT_AT_ONCE = 10_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final TypeReference<LinkedHashMap<String, Double>> VALUES = new TypeReference<>() {
    };
    private static final String COLUMNS = "SELECT sample.seq, theodolite.name, sample.boot, sample.number, session.name, sample.kind, sample.time, sample.found FROM sample "
            + "JOIN session ON session.id = sample.session JOIN theodolite ON theodolite.id = sample.theodolite ";

    /**
     * One that is kept.
     *
     * @param seq grows from sample to sample, in the order in which they were kept
     */
    public record Kept(long seq, SampleLine line) {
    }

    private final Database database;
    private final Theodolites theodolites;
    private final Map<String, Long> sessions = new ConcurrentHashMap<>();
    private final AtomicLong last;
    /** Of PostgreSQL; null for SQLite, which has one table with a unique index. */
    private final Partitions partitions;
    private final Queue<Wanted> waiting = new ConcurrentLinkedQueue<>();
    private final ReentrantLock committing = new ReentrantLock(true);

    /** @param keep how long samples are kept: PostgreSQL has them in parts by their time */
    public Samples(Database database, Theodolites theodolites, Duration keep) {
        this.database = database;
        this.theodolites = theodolites;
        partitions = database.isPostgresql() ? new Partitions(database, keep) : null;
        database.read(handle -> handle.createQuery("SELECT id, name FROM session").map((row, context) -> Map.entry(row.getString(2), row.getLong(1))).list())
                .forEach(each -> sessions.put(each.getKey(), each.getValue()));
        last = new AtomicLong(database.read(handle -> handle.createQuery("SELECT coalesce(max(seq), 0) FROM sample").mapTo(Long.class).one()));
        long published = database.read(handle -> handle.createQuery("SELECT coalesce(max(seq), 0) FROM publication").mapTo(Long.class).one());
        // The newest samples may have been forgotten, and a publication must not wait for numbers that it has passed.
        last.accumulateAndGet(published, Math::max);
    }

    /** Whether a session has samples, or ever had. */
    public boolean hasSession(String name) {
        return sessions.containsKey(name);
    }

    public int sessions() {
        return sessions.size();
    }

    /** Number of the last one that was kept; 0 for none. */
    public long last() {
        return last.get();
    }

    /** What somebody wants to have kept, and what has come of it. */
    private static final class Wanted {
        private final List<SampleLine> lines;
        private boolean[] isNew;
        private Throwable failure;

        Wanted(List<SampleLine> lines) {
            this.lines = lines;
        }

        boolean isOver() {
            return isNew != null || failure != null;
        }
    }

    /**
     * Keeps samples of theodolites that have registered, whole or not at all. Whoever comes while another one waits for the disk shares the next transaction with all
     * who do: a disk does a hundred or two in a second, and each theodolite sends once in a second.
     *
     * @return for each whether it is new; one that is not is there already
     */
    public boolean[] keep(List<SampleLine> lines) {
        Wanted mine = new Wanted(lines);
        waiting.add(mine);
        committing.lock();
        try {
            while (!mine.isOver()) {
                commit(next());
            }
        } finally {
            committing.unlock();
        }
        if (mine.failure instanceof AnepException known) {
            throw new AnepException(known.code(), known.text(), known);
        } else if (mine.failure != null) {
            throw new IllegalStateException("samples could not be kept", mine.failure);
        }
        return mine.isNew;
    }

    private List<Wanted> next() {
        List<Wanted> next = new ArrayList<>();
        int lines = 0;
        for (Wanted each = waiting.poll(); each != null; each = lines < KEPT_AT_ONCE ? waiting.poll() : null) {
            next.add(each);
            lines += each.lines.size();
        }
        return next;
    }

    private void commit(List<Wanted> all) {
        try {
            boolean[] news = write(all.stream().flatMap(each -> each.lines.stream()).toList());
            int at = 0;
            for (Wanted each : all) {
                each.isNew = Arrays.copyOfRange(news, at, at + each.lines.size());
                at += each.lines.size();
            }
        } catch (RuntimeException | Error e) {
            all.forEach(each -> each.failure = e);
        }
    }

    private boolean[] write(List<SampleLine> lines) {
        Map<String, Long> added = new HashMap<>();
        boolean[] isNew = new boolean[lines.size()];
        try {
            long end = database.write(handle -> {
                added.clear();
                return insert(handle, lines, isNew, added);
            });
            last.accumulateAndGet(end, Math::max);
        } catch (RuntimeException e) {
            if (partitions != null) {
                partitions.failed();
            }
            throw e;
        }
        sessions.putAll(added);
        return isNew;
    }

    private long insert(Handle handle, List<SampleLine> lines, boolean[] isNew, Map<String, Long> added) {
        long seq = last.get();
        boolean[] isKnown = new boolean[isNew.length];
        if (partitions != null) {
            partitions.make(handle, lines);
            isKnown = partitions.known(handle, lines, line -> theodolites.find(line.theodolite()).id());
        }
        PreparedBatch batch = handle.prepareBatch("INSERT INTO sample (seq, theodolite, boot, number, session, kind, time, found) "
                + "VALUES (:seq, :theodolite, :boot, :number, :session, :kind, :time, :found) ON CONFLICT DO NOTHING");
        List<Integer> tried = new ArrayList<>();
        for (int i = 0; i < isNew.length; i++) {
            SampleLine line = lines.get(i);
            if (!isKnown[i]) {
                tried.add(i);
                batch.bind("seq", ++seq).bind("theodolite", theodolites.find(line.theodolite()).id()).bind("boot", line.boot()).bind("number", line.number())
                        .bind("session", session(handle, line.session(), added)).bind("kind", line.kind().text()).bind("time", line.time()).bind("found", json(line.values())).add();
            }
        }
        int[] counts = batch.execute();
        for (int i = 0; i < counts.length; i++) {
            isNew[tried.get(i)] = counts[i] == 1;
        }
        return seq;
    }

    private long session(Handle handle, String name, Map<String, Long> added) {
        Long known = sessions.getOrDefault(name, added.get(name));
        if (known != null) {
            return known;
        }
        long id = handle.createQuery("SELECT coalesce(max(id), 0) + 1 FROM session").mapTo(Long.class).one();
        handle.createUpdate("INSERT INTO session (id, name) VALUES (:id, :name)").bind("id", id).bind("name", name).execute();
        added.put(name, id);
        return id;
    }

    /** The newest samples of each session, the oldest of a session first. */
    public void newest(int ofEach, Consumer<SampleLine> taker) {
        for (String session : List.copyOf(sessions.keySet())) {
            List<Kept> found = series(session, 0, Long.MAX_VALUE, ofEach);
            for (int i = found.size() - 1; i >= 0; i--) {
                taker.accept(found.get(i).line());
            }
        }
    }

    /** Samples of one session, the newest first. @param from milliseconds of the epoch, included @param to excluded */
    public List<Kept> series(String session, long from, long to, int most) {
        Long id = sessions.get(session);
        return id == null ? List.of() : database.read(handle -> handle.createQuery(COLUMNS + "WHERE sample.session = :session AND sample.time >= :from AND sample.time < :to "
                + "ORDER BY sample.time DESC, sample.seq DESC LIMIT :most").bind("session", id).bind("from", from).bind("to", to).bind("most", most).map((row, context) -> kept(row)).list());
    }

    /** What has been kept behind a number, in order. */
    public List<Kept> after(long seq, int most) {
        return database.read(handle -> handle.createQuery(COLUMNS + "WHERE sample.seq > :seq ORDER BY sample.seq LIMIT :most").bind("seq", seq).bind("most", most)
                .map((row, context) -> kept(row)).list());
    }

    private static Kept kept(ResultSet row) throws SQLException {
        String text = row.getString(6);
        Measurement.Kind kind = Arrays.stream(Measurement.Kind.values()).filter(each -> each.text().equals(text)).findFirst().orElseThrow();
        return new Kept(row.getLong(1), new SampleLine(row.getString(2), row.getLong(3), row.getLong(4), row.getString(5), kind, row.getLong(7), values(row.getString(8))));
    }

    private static String json(Map<String, Double> values) {
        try {
            return MAPPER.writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Double> values(String json) {
        try {
            return MAPPER.readValue(json, VALUES);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database has a sample without values", e);
        }
    }

    /**
     * Removes what is older: in pieces, so that others write in between, or in whole parts of the table, which last as long as their newest sample.
     *
     * @return how many; of whole parts about
     */
    public int forget(long before) {
        if (partitions != null) {
            return partitions.forget(before);
        }
        int all = 0;
        int removed;
        do {
            removed = database.write(handle -> handle.createUpdate("DELETE FROM sample WHERE seq IN (SELECT seq FROM sample WHERE time < :before LIMIT " + DELETED_AT_ONCE + ")").bind("before", before).execute());
            all += removed;
        } while (removed == DELETED_AT_ONCE);
        return all;
    }

    /** How far a publication has come; the end for one that is new. */
    public long published(String name) {
        return database.write(handle -> {
            handle.createUpdate("INSERT INTO publication (name, seq) VALUES (:name, :seq) ON CONFLICT (name) DO NOTHING").bind("name", name).bind("seq", last.get()).execute();
            return handle.createQuery("SELECT seq FROM publication WHERE name = :name").bind("name", name).mapTo(Long.class).one();
        });
    }

    public void setPublished(String name, long seq) {
        database.write(handle -> handle.createUpdate("UPDATE publication SET seq = :seq WHERE name = :name").bind("name", name).bind("seq", seq).execute());
    }
}
