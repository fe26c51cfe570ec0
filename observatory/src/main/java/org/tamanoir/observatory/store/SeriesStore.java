package org.tamanoir.observatory.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.tamanoir.database.Database;
import org.tamanoir.paths.series.Rollup;
import org.tamanoir.paths.series.Series;
import org.tamanoir.paths.why.HostPair;
import org.tamanoir.paths.wire.SeriesLine;

/** What connections did from one tenth of a second to the next: a row for each minute, whose chunk is dropped when it is old. */
public final class SeriesStore {
    private static final int LEVEL = 9;
    private static final int FORGOTTEN_AT_ONCE = 5_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String COLUMNS = "SELECT theodolite.name, series.boot, series.number, series.time, series.stream, series.leg, series.source, series.destination, series.samples, series.rollup, series.chunk "
            + "FROM series JOIN theodolite ON theodolite.id = series.theodolite ";

    private final Database database;
    private final Theodolites theodolites;

    public SeriesStore(Database database, Theodolites theodolites) {
        this.database = database;
        this.theodolites = theodolites;
    }

    /**
     * A minute of a connection.
     *
     * @param time    of its last sample, milliseconds of the epoch
     * @param rollup  least, mean and most of each column
     * @param series  null if it is so old that only the roll-up is left
     */
    public record Kept(String theodolite, long boot, long number, long time, long stream, String leg, String source, String destination, int samples, JsonNode rollup, Series series) {
    }

    /** Keeps lines of theodolites that have registered, in one transaction. @return how many are new */
    public int keep(List<SeriesLine> lines) {
        return database.write(handle -> {
            PreparedBatch batch = handle.prepareBatch("INSERT INTO series (theodolite, boot, number, time, stream, leg, source, destination, samples, rollup, chunk) "
                    + "VALUES (:theodolite, :boot, :number, :time, :stream, :leg, :source, :destination, :samples, :rollup, :chunk) ON CONFLICT (theodolite, boot, number) DO NOTHING");
            for (SeriesLine line : lines) {
                Series series = line.series();
                batch.bind("theodolite", theodolites.find(line.theodolite()).id()).bind("boot", line.boot()).bind("number", line.number()).bind("time", line.time()).bind("stream", line.stream())
                        .bind("leg", line.leg()).bind("source", line.source()).bind("destination", line.destination()).bind("samples", series.times().length).bind("rollup", json(series))
                        .bind("chunk", Zstd.compress(line.code(), LEVEL)).add();
            }
            int isNew = 0;
            for (int count : batch.execute()) {
                isNew += count;
            }
            return isNew;
        });
    }

    private static String json(Series series) {
        try {
            return MAPPER.writeValueAsString(Rollup.of(series));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The minutes of one stream of a node, the newest first. @param from milliseconds of the epoch */
    public List<Kept> of(String theodolite, long boot, long stream, long from, int most) {
        Theodolites.Entry entry = theodolites.find(theodolite);
        return entry == null ? List.of() : database.read(handle -> handle.createQuery(COLUMNS + "WHERE series.theodolite = :theodolite AND series.boot = :boot AND series.stream = :stream AND series.time >= :from "
                + "ORDER BY series.time DESC, series.number DESC LIMIT :most").bind("theodolite", entry.id()).bind("boot", boot).bind("stream", stream).bind("from", from).bind("most", most)
                .map((row, context) -> kept(row)).list());
    }

    /** Hosts between which there are streams with series since then. @param from milliseconds of the epoch */
    public List<HostPair> pairs(long from) {
        return database.read(handle -> handle.createQuery("SELECT DISTINCT source, destination FROM series WHERE time >= :from").bind("from", from)
                .map((row, context) -> new HostPair(row.getString(1), row.getString(2))).list());
    }

    /** The newest minute between hosts; null if there is none. @param from milliseconds of the epoch */
    public Kept newest(List<HostPair> pairs, long from) {
        return database.read(handle -> {
            Kept newest = null;
            for (HostPair pair : pairs) {
                Kept found = handle.createQuery(COLUMNS + "WHERE series.source = :source AND series.destination = :destination AND series.time >= :from ORDER BY series.time DESC LIMIT 1")
                        .bind("source", pair.source()).bind("destination", pair.destination()).bind("from", from).map((row, context) -> kept(row)).findFirst().orElse(null);
                newest = newest == null || found != null && found.time() > newest.time() ? found : newest;
            }
            return newest;
        });
    }

    private static Kept kept(ResultSet row) throws SQLException {
        byte[] chunk = row.getBytes(11);
        try {
            return new Kept(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5), row.getString(6), row.getString(7), row.getString(8), row.getInt(9),
                    MAPPER.readTree(row.getString(10)), chunk == null ? null : Series.decode(Zstd.decompress(chunk, Series.MOST_OCTETS)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database has a series without its roll-up", e);
        }
    }

    /** Drops chunks that are older than one time, and roll-ups that are older than another; a few at once, so that others write in between. @return chunks */
    public int forget(long chunksBefore, long rollupsBefore) {
        pieces("DELETE FROM series WHERE (theodolite, boot, number) IN (SELECT theodolite, boot, number FROM series WHERE time < :before LIMIT " + FORGOTTEN_AT_ONCE + ")", rollupsBefore);
        return pieces("UPDATE series SET chunk = NULL WHERE (theodolite, boot, number) IN (SELECT theodolite, boot, number FROM series WHERE time < :before AND chunk IS NOT NULL LIMIT "
                + FORGOTTEN_AT_ONCE + ")", chunksBefore);
    }

    private int pieces(String change, long before) {
        int all = 0;
        int changed;
        do {
            changed = database.write(handle -> handle.createUpdate(change).bind("before", before).execute());
            all += changed;
        } while (changed == FORGOTTEN_AT_ONCE);
        return all;
    }
}
