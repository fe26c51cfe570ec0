package org.tamanoir.observatory.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.tamanoir.database.Database;
import org.tamanoir.paths.why.HostPair;
import org.tamanoir.paths.wire.StreamLine;

/** What theodolites have said of the streams that pass their nodes. */
public final class Streams {
    private static final String COLUMNS = "SELECT theodolite.name, stream.boot, stream.number, stream.time, stream.stream, stream.source, stream.destination, stream.class, stream.ended, stream.octets, "
            + "stream.size, stream.seconds, stream.streams, stream.cause, stream.share, stream.sure, stream.sentence FROM stream JOIN theodolite ON theodolite.id = stream.theodolite ";
    /** So that others write in between. */
    private static final long FORGOTTEN_AT_ONCE_MILLIS = 600_000;

    private final Database database;
    private final Theodolites theodolites;

    public Streams(Database database, Theodolites theodolites) {
        this.database = database;
        this.theodolites = theodolites;
    }

    /**
     * Keeps lines of theodolites that have registered, in one transaction.
     *
     * @return those that are new
     */
    public List<StreamLine> keep(List<StreamLine> lines) {
        return database.write(handle -> {
            PreparedBatch batch = handle.prepareBatch("INSERT INTO stream (theodolite, boot, number, time, stream, source, destination, class, ended, octets, size, seconds, streams, cause, share, sure, sentence) "
                    + "VALUES (:theodolite, :boot, :number, :time, :stream, :source, :destination, :class, :ended, :octets, :size, :seconds, :streams, :cause, :share, :sure, :sentence) "
                    + "ON CONFLICT (theodolite, boot, number) DO NOTHING");
            for (StreamLine line : lines) {
                batch.bind("theodolite", theodolites.find(line.theodolite()).id()).bind("boot", line.boot()).bind("number", line.number()).bind("time", line.time()).bind("stream", line.stream())
                        .bind("source", line.source()).bind("destination", line.destination()).bind("class", line.qosClass()).bind("ended", line.ended() ? 1 : 0).bind("octets", line.octets())
                        .bind("size", line.size()).bind("seconds", line.seconds()).bind("streams", line.streams()).bind("cause", line.cause()).bind("share", line.share()).bind("sure", line.sure() ? 1 : 0)
                        .bind("sentence", line.sentence()).add();
            }
            int[] counts = batch.execute();
            List<StreamLine> isNew = new ArrayList<>();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] == 1) {
                    isNew.add(lines.get(i));
                }
            }
            return isNew;
        });
    }

    /** Hosts between which there were streams since then. @param from milliseconds of the epoch */
    public List<HostPair> pairs(long from) {
        return database.read(handle -> handle.createQuery("SELECT DISTINCT source, destination FROM stream WHERE time >= :from").bind("from", from)
                .map((row, context) -> new HostPair(row.getString(1), row.getString(2))).list());
    }

    /** Lines between hosts, the newest first. @param from milliseconds of the epoch */
    public List<StreamLine> between(List<HostPair> pairs, long from, int most) {
        return database.read(handle -> {
            List<StreamLine> found = new ArrayList<>();
            for (HostPair pair : pairs) {
                found.addAll(handle.createQuery(COLUMNS + "WHERE stream.source = :source AND stream.destination = :destination AND stream.time >= :from ORDER BY stream.time DESC LIMIT :most")
                        .bind("source", pair.source()).bind("destination", pair.destination()).bind("from", from).bind("most", most).map((row, context) -> line(row)).list());
                if (found.size() > 2 * most) {
                    cut(found, most);
                }
            }
            cut(found, most);
            return found;
        });
    }

    /** The newest lines whose rate is that of their path, the oldest first. */
    public void ratesOfPaths(int most, Consumer<StreamLine> taker) {
        List<StreamLine> found = database.read(handle -> handle.createQuery(COLUMNS + "WHERE stream.streams = 1 AND stream.sure = 1 AND stream.cause LIKE 'path-%' ORDER BY stream.time DESC LIMIT :most")
                .bind("most", most).map((row, context) -> line(row)).list());
        for (int i = found.size() - 1; i >= 0; i--) {
            if (found.get(i).isRateOfThePath()) {
                taker.accept(found.get(i));
            }
        }
    }

    private static void cut(List<StreamLine> lines, int most) {
        lines.sort(Comparator.comparingLong(StreamLine::time).reversed());
        lines.subList(Math.min(most, lines.size()), lines.size()).clear();
    }

    private static StreamLine line(ResultSet row) throws SQLException {
        return new StreamLine(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5), row.getString(6), row.getString(7), row.getString(8), row.getInt(9) == 1, row.getLong(10),
                row.getLong(11), row.getDouble(12), row.getInt(13), row.getString(14), row.getDouble(15), row.getInt(16) == 1, row.getString(17));
    }

    /** Removes what is older. @return how many */
    public int forget(long before) {
        int all = 0;
        Long oldest = oldest();
        while (oldest != null && oldest < before) {
            long end = Math.min(before, oldest + FORGOTTEN_AT_ONCE_MILLIS);
            all += database.write(handle -> handle.createUpdate("DELETE FROM stream WHERE time < :end").bind("end", end).execute());
            oldest = oldest();
        }
        return all;
    }

    private Long oldest() {
        return database.read(handle -> handle.createQuery("SELECT min(time) FROM stream").mapTo(Long.class).findOne().orElse(null));
    }
}
