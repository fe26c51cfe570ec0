package org.tamanoir.repository.store.postgresql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.repository.store.BundleFacts;
import org.tamanoir.repository.store.Catalogue;
import org.tamanoir.repository.store.CatalogueKeeper;
import org.tamanoir.repository.store.Entry;
import org.tamanoir.repository.store.postgresql.Rows.State;

/**
 * The catalogue in PostgreSQL, which several processes change: each locks the row of the state, so that one sees what the other has done. What is known is asked of memory; a
 * {@link Watch} learns what others have changed.
 */
final class PostgresCatalogue implements CatalogueKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresCatalogue.class);
    /** Of unique, foreign and check constraints (PostgreSQL, class 23). */
    private static final String VIOLATION = "23";
    /** What no look at the database can see. */
    private static final Set<ErrorCode> OF_WRITING = EnumSet.of(ErrorCode.DATABASE_NO_ROOM, ErrorCode.DATABASE_REFUSES);
    /** A clock that differs by more is said to be wrong. */
    private static final Duration SKEW = Duration.ofSeconds(60);

    /** What the database had after the change with this mark. */
    private record Known(UUID mark, Catalogue catalogue, Map<String, BundleFacts> facts) {
    }

    /** How the database was when it was last looked at. @param problem null if all is well */
    private record Condition(AnepException problem, Duration ahead) {
    }

    private final Database database;
    private final boolean isStored;
    private final InstantSource clock;
    private final int program;
    /** Grows whenever this process has learned something. */
    private long lessons;
    private volatile Known known;
    private Watch watch;
    private volatile Condition condition;
    /** What the last attempt to write has met; null if it was well. */
    private volatile AnepException unwritten;

    /**
     * Reads what is there.
     *
     * @param isStored whether the bundles are kept in the same database
     * @param clock    of this machine, which is compared with that of the database
     */
    PostgresCatalogue(Database database, boolean isStored, InstantSource clock) {
        this.database = database;
        this.isStored = isStored;
        this.clock = clock;
        State state = database.read(Rows::state);
        this.program = state.program();
        this.known = new Known(null, Catalogue.EMPTY, Map.of());
        this.condition = new Condition(null, Duration.ZERO);
        database.read(handle -> {
            look(handle);
            return null;
        });
    }

    @Override
    public Catalogue catalogue() {
        return known.catalogue();
    }

    /** What is known of a bundle that is kept in the same database; null for others. */
    BundleFacts facts(String sha256) {
        return known.facts().get(sha256);
    }

    /**
     * {@inheritDoc}
     *
     * @throws AnepException EE-435 to EE-439, of the database; also if nobody knows whether it has taken the change
     */
    @Override
    public Changed change(Rule rule) {
        try {
            return attempt(rule, known);
        } catch (AnepException e) {
            if (!isViolation(e)) {
                throw e;
            }
            LOG.warn("the database has rows that no revision tells of, which another program has written: {}", e.getMessage());
        } catch (Rows.ForeignRowException e) {
            LOG.warn("the database has rows that no revision tells of, which another program has written: {}", e.getMessage());
        }
        try {
            return attempt(rule, null);
        } catch (Rows.ForeignRowException e) {
            throw new AnepException(ErrorCode.DATABASE_REFUSES, e.getMessage(), e);
        }
    }

    private static boolean isViolation(AnepException error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && sql.getSQLState() != null && sql.getSQLState().startsWith(VIOLATION)) {
                return true;
            }
        }
        return false;
    }

    /** @throws AnepException EE-435 if the database is known to be away: whoever asks need not wait to be told so */
    void checkThere() {
        AnepException problem = condition.problem();
        if (problem != null && problem.code() == ErrorCode.DATABASE_AWAY) {
            throw new AnepException(problem.code(), problem.text(), problem);
        }
    }

    /** Does what writes to the database, and remembers how that went. @throws AnepException EE-435 to EE-439 */
    <T> T noting(Supplier<T> write) {
        checkThere();
        try {
            T result = write.get();
            unwritten = null;
            return result;
        } catch (AnepException e) {
            if (OF_WRITING.contains(e.code())) {
                unwritten = e;
            }
            throw e;
        }
    }

    /** @param base is believed if its revision still holds; null to believe the rows alone */
    private Changed attempt(Rule rule, Known base) {
        Known[] learned = new Known[1];
        Changed changed = noting(() -> database.write(handle -> {
            Rows.beDurable(handle);
            State state = Rows.locked(handle);
            checkProgram(state);
            boolean isCurrent = base != null && state.mark().equals(base.mark());
            Catalogue before = isCurrent ? base.catalogue() : Rows.catalogue(handle);
            if (!isCurrent) {
                // Also if the rule then refuses: next time it is refused without a bundle being put.
                learn(complete(handle, state.mark(), before));
            }
            Catalogue after = rule.apply(before, state.time());
            UUID mark = after == before ? state.mark() : Rows.write(handle, before, after, isStored);
            learned[0] = complete(handle, mark, after);
            return new Changed(before, after);
        }));
        learn(learned[0]);
        return changed;
    }

    private void checkProgram(State state) {
        if (state.program() > program) {
            throw new AnepException(ErrorCode.DATABASE_AHEAD, "a newer program has changed the tables of the repository; this one goes on with what it knows until it is replaced");
        }
    }

    private Known complete(Handle handle, UUID mark, Catalogue catalogue) {
        Map<String, BundleFacts> before = known.facts();
        Map<String, BundleFacts> facts = new HashMap<>();
        Set<String> missing = new HashSet<>();
        for (Entry entry : catalogue.entries()) {
            BundleFacts each = before.get(entry.sha256());
            if (each == null) {
                missing.add(entry.sha256());
            } else {
                facts.put(entry.sha256(), each);
            }
        }
        if (isStored) {
            facts.putAll(Rows.facts(handle, missing));
        }
        return new Known(mark, catalogue, facts);
    }

    /** What this process has done itself, unless it has learned of more meanwhile. */
    private synchronized void learn(Known next) {
        if (next.catalogue().revision() >= known.catalogue().revision()) {
            known = next;
            lessons++;
        }
    }

    private synchronized long lessons() {
        return lessons;
    }

    /** Looks whether anything has changed, and takes it. @return whether the database takes changes */
    boolean look(Handle handle) {
        long before = lessons();
        Instant start = clock.instant();
        State state = Rows.state(handle);
        Duration ahead = Duration.between(state.time(), start.plus(Duration.between(start, clock.instant()).dividedBy(2)));
        if (!state.mark().equals(known.mark())) {
            take(complete(handle, state.mark(), Rows.catalogue(handle)), before);
        }
        AnepException problem = problem(state);
        if (problem == null && condition.problem() != null) {
            LOG.info("the database takes changes again");
        }
        condition = new Condition(problem, ahead);
        return !state.isReadOnly();
    }

    private AnepException problem(State state) {
        if (state.isReadOnly()) {
            return new AnepException(ErrorCode.DATABASE_READ_ONLY, "the database takes no changes: it is a standby, or set to read only");
        }
        try {
            checkProgram(state);
            return null;
        } catch (AnepException e) {
            return e;
        }
    }

    /** @param before how much was learned when this was read; what is not newer is only believed if nothing else was learned since */
    private synchronized void take(Known next, long before) {
        boolean isOlder = known.mark() != null && next.catalogue().revision() <= known.catalogue().revision();
        if (isOlder && before != lessons) {
            return;
        }
        if (isOlder) {
            LOG.warn("the database had revision {} and has another revision {}: it was restored from a backup, or is another one", known.catalogue().revision(), next.catalogue().revision());
        }
        known = next;
        lessons++;
    }

    /** The database could not be looked at. */
    void failed(AnepException problem) {
        AnepException before = condition.problem();
        if (before == null || before.code() != problem.code()) {
            LOG.warn("the repository goes on with what it knows: {}", problem.getMessage());
        }
        condition = new Condition(problem, condition.ahead());
    }

    private boolean isClockRight() {
        return condition.ahead().abs().compareTo(SKEW) <= 0;
    }

    @Override
    public boolean isWell() {
        return problem() == null && isClockRight();
    }

    /** What is wrong now, or was at the last attempt to write. */
    private AnepException problem() {
        AnepException now = condition.problem();
        return now == null ? unwritten : now;
    }

    private static String state(AnepException problem) {
        if (problem == null) {
            return "up";
        }
        return switch (problem.code()) {
            case DATABASE_NO_ROOM -> "full";
            case DATABASE_READ_ONLY -> "read-only";
            case DATABASE_AHEAD -> "newer";
            case DATABASE_REFUSES -> "refused";
            default -> "away";
        };
    }

    @Override
    public Map<String, Object> health() {
        Condition now = condition;
        Map<String, Object> health = new LinkedHashMap<>();
        AnepException problem = problem();
        health.put("state", state(problem));
        if (problem != null) {
            health.put("problem", problem.getMessage());
        }
        health.put("revision", catalogue().revision());
        health.put("clockAheadMillis", now.ahead().toMillis());
        if (!isClockRight()) {
            health.put("clock", "the clock of this machine differs from that of the database, whose time is that of all publications");
        }
        return Map.of("database", health);
    }

    @Override
    public void metrics(Sink sink) {
        sink.metric("tamanoir_repository_database_up", "gauge", "Whether the database takes changes.", problem() == null ? 1 : 0);
        sink.metric("tamanoir_repository_revision", "gauge", "Revision of the catalogue that is served.", catalogue().revision());
        sink.metric("tamanoir_repository_clock_ahead_milliseconds", "gauge", "How far the clock of this machine is ahead of the database's.", condition.ahead().toMillis());
    }

    /** Begins to learn what others change. @param tidy see {@link Watch} */
    void watch(Consumer<Boolean> tidy) {
        watch = new Watch(database, this, tidy);
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        database.close();
    }
}
