package org.tamanoir.observatory.store;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.database.Database;
import org.tamanoir.paths.wire.SampleLine;

/**
 * The table of samples in PostgreSQL, in partitions of an hour, a day or a month of their time, so that there are about a hundred at most. A partition is made when
 * its first sample comes, and dropped when all of it is older than samples are kept.
 */
final class Partitions {
    private static final Duration BY_HOUR = Duration.ofDays(3);
    private static final Duration BY_DAY = Duration.ofDays(100);
    private static final Pattern BOUNDS = Pattern.compile("FROM \\((?:'(-?\\d+)'|MINVALUE)\\) TO \\('(-?\\d+)'\\)");
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("'sample_'yyyyMMdd'_'HH").withZone(ZoneOffset.UTC);
    private static final int MOST_ORIGINS = 100_000;
    /** Of numbers that lie so close, all between the least and the greatest are asked for. */
    private static final int DENSE = 4;

    /** Who has counted. */
    private record Origin(long theodolite, long boot) {
    }

    /** @param from included @param to excluded; milliseconds of the epoch */
    private record Part(String name, long from, long to) {
    }

    private final Database database;
    private final ChronoUnit width;
    /** Null if it is not known. */
    private volatile List<Part> parts;
    /** No number of an origin above this one is known. Of those that are not here nobody knows. */
    private final Map<Origin, Long> highest = BoundedMap.byUse(MOST_ORIGINS);

    Partitions(Database database, Duration keep) {
        this.database = database;
        this.width = keep.compareTo(BY_HOUR) <= 0 ? ChronoUnit.HOURS : keep.compareTo(BY_DAY) <= 0 ? ChronoUnit.DAYS : ChronoUnit.MONTHS;
    }

    private static List<Part> existing(Handle handle) {
        return handle.createQuery("SELECT part.relname, pg_get_expr(part.relpartbound, part.oid) FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid WHERE inhparent = 'sample'::regclass")
                .map((row, context) -> part(row.getString(1), row.getString(2))).list().stream().sorted(Comparator.comparingLong(Part::from)).toList();
    }

    private static Part part(String name, String bounds) {
        Matcher found = BOUNDS.matcher(bounds);
        if (!found.find()) {
            throw new IllegalStateException("the partition " + name + " is " + bounds);
        }
        return new Part(name, found.group(1) == null ? Long.MIN_VALUE : Long.parseLong(found.group(1)), Long.parseLong(found.group(2)));
    }

    /** Makes the partitions that lines need. To be called in the transaction that adds them, and {@link #failed} if that fails. */
    void make(Handle handle, List<SampleLine> lines) {
        List<Part> all = new ArrayList<>(parts == null ? existing(handle) : parts);
        parts = all;
        for (SampleLine line : lines) {
            if (all.stream().noneMatch(part -> part.from <= line.time() && line.time() < part.to)) {
                Part part = around(line.time(), all);
                handle.execute("CREATE TABLE " + part.name + " PARTITION OF sample FOR VALUES FROM (" + part.from + ") TO (" + part.to + ")");
                all.add(part);
            }
        }
    }

    /** An hour, day or month, without what another one has of it: those before may have been of another width. */
    private Part around(long time, List<Part> others) {
        ZonedDateTime begin = Instant.ofEpochMilli(time).atZone(ZoneOffset.UTC).truncatedTo(width == ChronoUnit.HOURS ? width : ChronoUnit.DAYS);
        begin = width == ChronoUnit.MONTHS ? begin.withDayOfMonth(1) : begin;
        long from = begin.toInstant().toEpochMilli();
        long to = begin.plus(1, width).toInstant().toEpochMilli();
        for (Part each : others) {
            from = each.to <= time ? Math.max(from, each.to) : from;
            to = each.from > time ? Math.min(to, each.from) : to;
        }
        return new Part(NAME.format(Instant.ofEpochMilli(from)), from, to);
    }

    /** A transaction has failed: what it made is not there. */
    void failed() {
        parts = null;
    }

    /** Which of these lines are in the table already, or came before in the list. To be called in the transaction that adds the others. */
    boolean[] known(Handle handle, List<SampleLine> lines, Function<SampleLine, Long> theodolite) {
        Map<Origin, Set<Long>> numbers = new HashMap<>();
        boolean[] known = new boolean[lines.size()];
        for (int i = 0; i < known.length; i++) {
            known[i] = !numbers.computeIfAbsent(new Origin(theodolite.apply(lines.get(i)), lines.get(i).boot()), origin -> new HashSet<>()).add(lines.get(i).number());
        }
        Map<Origin, Set<Long>> there = new HashMap<>();
        numbers.forEach((origin, all) -> there.put(origin, there(handle, origin, all)));
        for (int i = 0; i < known.length; i++) {
            known[i] |= there.get(new Origin(theodolite.apply(lines.get(i)), lines.get(i).boot())).contains(lines.get(i).number());
        }
        return known;
    }

    private Set<Long> there(Handle handle, Origin origin, Set<Long> numbers) {
        long least = numbers.stream().mapToLong(Long::longValue).min().orElseThrow();
        long most = numbers.stream().mapToLong(Long::longValue).max().orElseThrow();
        Long known = highest.get(origin);
        if (known == null) {
            known = handle.createQuery("SELECT coalesce(max(number), 0) FROM sample WHERE theodolite = :theodolite AND boot = :boot").bind("theodolite", origin.theodolite).bind("boot", origin.boot)
                    .mapTo(Long.class).one();
        }
        // If the transaction fails this is higher than it need be, and the next one asks.
        highest.put(origin, Math.max(known, most));
        if (least > known) {
            return Set.of();
        }
        boolean isDense = most - least < (long) DENSE * numbers.size();
        var query = handle.createQuery("SELECT number FROM sample WHERE theodolite = :theodolite AND boot = :boot AND "
                + (isDense ? "number BETWEEN :least AND :most" : "number = ANY (string_to_array(:numbers, ',')::bigint[])")).bind("theodolite", origin.theodolite).bind("boot", origin.boot);
        query = isDense ? query.bind("least", least).bind("most", most) : query.bind("numbers", numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
        return query.mapTo(Long.class).set();
    }

    /** Drops what is older as a whole. @return about how many samples that were */
    int forget(long before) {
        int all = 0;
        for (Part each : database.read(Partitions::existing)) {
            if (each.to <= before) {
                all += database.write(handle -> {
                    int rows = rows(handle, each.name);
                    handle.execute("DROP TABLE " + each.name);
                    parts = null;
                    return rows;
                });
            }
        }
        return all;
    }

    /** As PostgreSQL has last counted; it has not counted a small one. */
    private static int rows(Handle handle, String name) {
        double counted = handle.createQuery("SELECT reltuples FROM pg_class WHERE oid = '" + name + "'::regclass").mapTo(Double.class).one();
        return counted >= 0 ? (int) counted : handle.createQuery("SELECT count(*) FROM " + name).mapTo(Integer.class).one();
    }
}
