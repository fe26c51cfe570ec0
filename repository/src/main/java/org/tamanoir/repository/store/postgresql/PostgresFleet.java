package org.tamanoir.repository.store.postgresql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.repository.fleet.FleetDirectory;
import org.tamanoir.repository.fleet.FleetStore;

/**
 * A fleet in the tables of {@code V2__fleet.sql}, which any number of processes lead. Of two changes at once one has the row of the record first, and the other finds
 * another mark there than it knows. Reports are told in transactions one after another, so that none is missed, and need not be on the disk.
 */
public final class PostgresFleet implements FleetStore {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    private static final int ANSWER_MILLIS = 5_000;
    /** Of nodes that no fleet has any more. */
    private static final String OLD = "interval '1 day'";

    private record Kept(UUID mark, FleetRecord record, int program) {
    }

    private record Told(long number, UUID teller, Said said) {
    }

    private final Database database;
    private final UUID teller = UUID.randomUUID();
    private final int program;
    private volatile Kept kept;
    /** The last number that was seen. */
    private long told = -1;

    /** @param database up to date */
    PostgresFleet(Database database) {
        this.database = database;
        kept = database.read(handle -> kept(handle, ""));
        program = kept.program();
    }

    /** Has connections of its own, which uploads do not use. @throws AnepException EE-435 to EE-439 */
    public static PostgresFleet open(PostgresStore.Settings settings) {
        Database database = PostgresStore.database(settings);
        try {
            return new PostgresFleet(database);
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /** A database that hangs is away: whoever serves nodes does not wait for it for long. */
    private <T> T look(Database.Work<T> work) {
        return database.read(handle -> {
            try {
                handle.getConnection().setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
            } catch (SQLException e) {
                throw new AnepException(ErrorCode.DATABASE_AWAY, "the connection to the database is broken: " + e.getMessage(), e);
            }
            return work.with(handle);
        });
    }

    private static Kept kept(Handle handle, String lock) {
        return handle.createQuery("SELECT mark, document, (SELECT max(installed_rank) FROM repository_version) FROM fleet_record" + lock)
                .map((row, context) -> new Kept(row.getObject(1, UUID.class), record(row.getString(2)), row.getInt(3))).findOne()
                .orElseThrow(() -> new AnepException(ErrorCode.DATABASE_REFUSES, "the table fleet_record has no row: somebody has removed it"));
    }

    private static FleetRecord record(String document) {
        return document == null ? FleetRecord.EMPTY : read(document, FleetRecord.class, "the record of the fleet");
    }

    private static <T> T read(String json, Class<T> type, String what) {
        try {
            return MAPPER.readValue(json, type);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new AnepException(ErrorCode.DATABASE_REFUSES, "another program has written what cannot be read: " + what + ": " + e.getMessage(), e);
        }
    }

    private static String json(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public FleetRecord read() {
        Kept now = look(handle -> kept(handle, ""));
        kept = now;
        return now.record();
    }

    @Override
    public boolean hasChanged(FleetRecord known) {
        Kept here = kept;
        return !here.record().equals(known) || !here.mark().equals(look(handle -> handle.createQuery("SELECT mark FROM fleet_record").mapTo(UUID.class).one()));
    }

    @Override
    public void commit(FleetRecord next, Generation added) {
        Kept here = kept;
        kept = database.write(handle -> {
            Rows.beDurable(handle);
            Kept now = kept(handle, " FOR UPDATE");
            if (now.program() > program) {
                throw new AnepException(ErrorCode.DATABASE_AHEAD, "a newer program has changed the tables of the repository; this one goes on with what it knows until it is replaced");
            }
            if (!now.mark().equals(here.mark()) || next.revision() != now.record().revision() + 1) {
                throw new AnepException(ErrorCode.FLEET_CHANGED, "the fleet has revision " + now.record().revision() + " and not " + (next.revision() - 1)
                        + ", or another one of that number. Nothing was changed by this request: plan again");
            }
            if (added != null) {
                insert(handle, added);
                tidy(handle, next);
            }
            return new Kept(update(handle, next), next, program);
        });
    }

    private static UUID update(Handle handle, FleetRecord next) {
        return handle.createQuery("UPDATE fleet_record SET revision = :revision, document = :document, mark = gen_random_uuid() RETURNING mark").bind("revision", next.revision())
                .bind("document", json(next)).mapTo(UUID.class).one();
    }

    private static void insert(Handle handle, Generation added) {
        handle.createUpdate("INSERT INTO fleet_generation (number, applied, who, why, sha256, state) VALUES (:number, :applied, :who, :why, :sha256, :state)")
                .bind("number", added.number()).bind("applied", added.when()).bind("who", added.who()).bind("why", added.why()).bind("sha256", added.sha256())
                .bind("state", added.state().toString()).execute();
    }

    private static void tidy(Handle handle, FleetRecord next) {
        String needed = next.needed().stream().map(String::valueOf).collect(Collectors.joining(","));
        handle.createUpdate("DELETE FROM fleet_generation WHERE number <= :last AND number <> ALL (string_to_array(:needed, ',')::bigint[])").bind("last", next.generation() - KEPT)
                .bind("needed", needed).execute();
        handle.createUpdate("DELETE FROM fleet_report WHERE heard < clock_timestamp() - " + OLD).execute();
    }

    @Override
    public Generation generation(long number) {
        Generation read = look(handle -> handle.createQuery("SELECT number, applied, who, why, sha256, state FROM fleet_generation WHERE number = :number").bind("number", number)
                .map((row, context) -> generation(row)).findOne()).orElseThrow(() -> new AnepException(ErrorCode.NOT_FOUND, "there is no generation " + number + ", or not any more"));
        if (!read.hasItsDigest()) {
            throw new AnepException(ErrorCode.DATABASE_REFUSES, "generation " + number + " is not what its digest says");
        }
        return read;
    }

    private static Generation generation(ResultSet row) throws SQLException {
        return new Generation(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), read(row.getString(6), JsonNode.class, "a generation"), row.getString(5));
    }

    @Override
    public List<Generation.Head> history() {
        return look(handle -> handle.createQuery("SELECT number, applied, who, why, sha256 FROM fleet_generation ORDER BY number DESC")
                .map((row, context) -> new Generation.Head(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5))).list());
    }

    /** {@inheritDoc} One thread. */
    @Override
    public List<Said> exchange(List<Said> here) {
        long begun = System.nanoTime();
        if (!here.isEmpty()) {
            database.write(handle -> {
                // They come back: losing the last ones with the machine loses nothing.
                handle.execute("SET LOCAL synchronous_commit = off");
                // One after another: whoever sees a number has seen all below it.
                handle.execute("LOCK TABLE fleet_report IN SHARE ROW EXCLUSIVE MODE");
                tell(handle, here, begun);
                return null;
            });
        }
        long asked = System.nanoTime();
        List<Told> all = look(handle -> handle.createQuery("SELECT told, teller, node, report, floor(extract(epoch FROM clock_timestamp() - heard) * 1000) FROM fleet_report"
                // A backup that was restored counts from where it was.
                + " WHERE told > :told OR :told > (SELECT max(told) FROM fleet_report)").bind("told", told)
                .map((row, context) -> new Told(row.getLong(1), row.getObject(2, UUID.class), new Said(row.getString(3), report(row.getString(4)), Math.max(0, row.getLong(5))))).list());
        told = all.stream().mapToLong(Told::number).max().orElse(told);
        // Rather too old than too new: what a process was told by the node itself counts for more.
        long took = millisSince(asked);
        return all.stream().filter(each -> !each.teller().equals(teller)).map(Told::said).map(each -> new Said(each.node(), each.report(), each.ageMillis() + took)).toList();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private void tell(Handle handle, List<Said> here, long begun) {
        long waited = millisSince(begun);
        long next = handle.createQuery("SELECT coalesce(max(told), 0) FROM fleet_report").mapTo(Long.class).one();
        PreparedBatch batch = handle.prepareBatch("INSERT INTO fleet_report (node, told, teller, heard, report) VALUES (:node, :told, :teller, clock_timestamp() - :age * interval '1 millisecond', :report)"
                + " ON CONFLICT (node) DO UPDATE SET told = excluded.told, teller = excluded.teller, heard = excluded.heard, report = excluded.report WHERE fleet_report.heard < excluded.heard");
        for (Said each : here) {
            next++;
            batch.bind("node", each.node()).bind("told", next).bind("teller", teller).bind("age", each.ageMillis() + waited).bind("report", each.report().json().toString()).add();
        }
        batch.execute();
    }

    private static NodeReport report(String json) {
        return NodeReport.read(read(json, JsonNode.class, "the report of a node"));
    }

    /**
     * Copies the fleet of a directory, if that has one: all of it or nothing. A second time it changes nothing.
     *
     * @throws AnepException EE-641 if another fleet is here
     */
    public void take(FleetDirectory from) {
        FleetRecord record = from.read();
        if (record.generation() == 0) {
            return;
        }
        Generation newest = from.generation(record.generation());
        kept = database.write(handle -> {
            Rows.beDurable(handle);
            Kept now = kept(handle, " FOR UPDATE");
            if (now.record().generation() == 0) {
                from.history().forEach(head -> insert(handle, from.generation(head.number())));
                return new Kept(update(handle, record), record, program);
            }
            Set<String> known = new HashSet<>(handle.createQuery("SELECT sha256 FROM fleet_generation WHERE number = :number AND applied = :applied").bind("number", newest.number())
                    .bind("applied", newest.when()).mapTo(String.class).list());
            if (!known.contains(newest.sha256())) {
                throw new AnepException(ErrorCode.FLEET_CHANGED, "the database leads a fleet of its own, of generation " + now.record().generation() + "; that of the directory is another. Nothing is copied");
            }
            return now;
        });
    }

    @Override
    public void close() {
        database.close();
    }
}
