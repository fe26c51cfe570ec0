package org.tamanoir.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteOpenMode;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The database of one server, brought to this program's version: a file of SQLite, or PostgreSQL. Many threads may read; one writes at a time, and what it has written
 * is on the disk when it returns.
 */
public final class Database implements AutoCloseable {
    private static final int CONNECTIONS = 6;
    /** Of PostgreSQL: a disk that is full, and a transaction that may only read. */
    private static final String DISK_FULL = "53100";
    private static final String READ_ONLY = "25006";
    /** Who we are is not believed or not enough; there is no such database, schema or table. Two figures are a class. */
    private static final List<String> REFUSED = List.of("28", "42501", "3D000", "3F000", "42P01");

    private final Settings settings;
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    /** Of SQLite; null otherwise. */
    private final Path file;
    private final Object fileKey;
    /** Of PostgreSQL; null otherwise. */
    private final SoleUse sole;
    private volatile boolean isOurs = true;
    private final ReentrantLock writing = new ReentrantLock(true);

    /** What is done with a connection. */
    public interface Work<T> {
        T with(Handle handle);
    }

    /**
     * Which one.
     *
     * @param user            whose it is, one word: {@code observatory}. Tables of several users may stand in one database
     * @param migrations      packages of the class path with Flyway's migrations; their numbers are of one sequence
     * @param file            of SQLite; it is not looked at if there is a {@code url}
     * @param url             {@code jdbc:postgresql://…}; null for SQLite
     * @param password        null for none
     * @param patienceSeconds for a connection, and for another connection's lock
     * @param kind            of its users
     */
    public record Settings(String user, List<String> migrations, Path file, String url, String password, int patienceSeconds, Kind kind) {
        /** Of a server that has it for itself. */
        public Settings(String user, List<String> migrations, Path file, String url, String password, int patienceSeconds) {
            this(user, migrations, file, url, password, patienceSeconds, Kind.SOLE);
        }

        boolean isSqlite() {
            return url == null;
        }

        private String[] locations() {
            return migrations.stream().map(each -> "classpath:" + each.replace('.', '/')).toArray(String[]::new);
        }
    }

    /**
     * Whether several servers of a kind use it at a time, and how they call what goes wrong. Servers that share it keep each other out by their statements: any number of
     * threads writes at a time then.
     *
     * @param away     it does not answer, or not now
     * @param full     it has no room
     * @param readOnly it takes no changes: a standby
     * @param newer    a newer program has changed it
     * @param refused  it does not let us in, or has nothing of ours
     */
    public record Kind(boolean isShared, ErrorCode away, ErrorCode full, ErrorCode readOnly, ErrorCode newer, ErrorCode refused) {
        static final Kind SOLE = new Kind(false, ErrorCode.NO_DATABASE, ErrorCode.DATABASE_FULL, ErrorCode.NO_DATABASE, ErrorCode.DATABASE_NEWER, ErrorCode.NO_DATABASE);
    }

    private Database(Settings settings, HikariDataSource pool, SoleUse sole) throws IOException {
        this.settings = settings;
        this.pool = pool;
        this.sole = sole;
        this.jdbi = Jdbi.create(pool);
        this.file = settings.isSqlite() ? settings.file() : null;
        this.fileKey = file == null ? null : Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /**
     * Opens one, and brings it up to date.
     *
     * @throws AnepException EE-783 if it cannot be reached or is none, EE-785 if a newer program has changed it; those of the kind
     */
    public static Database open(Settings settings) {
        HikariDataSource pool = null;
        SoleUse sole = null;
        try {
            HikariConfig config = new HikariConfig();
            config.setPoolName(settings.user());
            config.setMaximumPoolSize(CONNECTIONS);
            config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(settings.patienceSeconds()));
            if (settings.isSqlite()) {
                config.setDataSource(sqlite(settings));
            } else {
                Properties alone = postgresql(config, settings);
                if (!settings.kind().isShared()) {
                    sole = new SoleUse(settings.user(), settings.url(), alone);
                    sole.hold();
                }
            }
            pool = new HikariDataSource(config);
            migrate(pool, settings);
            return new Database(settings, pool, sole);
        } catch (RuntimeException | IOException | SQLException e) {
            if (pool != null) {
                pool.close();
            }
            if (sole != null) {
                sole.close();
            }
            throw e instanceof AnepException known ? known : translated(e, settings.kind());
        }
    }

    private static DataSource sqlite(Settings settings) throws IOException {
        if (!Files.exists(settings.file())) {
            Files.createFile(settings.file());
        }
        SQLiteConfig config = new SQLiteConfig();
        // A later connection must not make another file in the place of one that is gone.
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        // What is acknowledged outlives a loss of power.
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setBusyTimeout(settings.patienceSeconds() * 1000);
        config.setJournalSizeLimit(64 << 20);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + settings.file());
        return source;
    }

    /** @return what a connection beside the pool needs */
    private static Properties postgresql(HikariConfig config, Settings settings) {
        String url = settings.url();
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + url + "' is no database that can be used: jdbc:postgresql://HOST:PORT/NAME?user=USER is");
        }
        config.setJdbcUrl(url);
        config.setPassword(settings.password());
        Properties more = new Properties();
        more.setProperty("connectTimeout", Integer.toString(settings.patienceSeconds()));
        more.setProperty("socketTimeout", Integer.toString(6 * settings.patienceSeconds()));
        more.setProperty("ApplicationName", "tamanoir-" + settings.user());
        config.setDataSourceProperties(more);
        Properties alone = new Properties();
        alone.putAll(more);
        if (settings.password() != null) {
            alone.setProperty("password", settings.password());
        }
        return alone;
    }

    private static void migrate(DataSource source, Settings settings) {
        // The tables of another user may be there already.
        Flyway flyway = Flyway.configure(Database.class.getClassLoader()).dataSource(source).locations(settings.locations()).table(settings.user() + "_version")
                .baselineOnMigrate(true).baselineVersion("0").placeholders(Map.of("serial", settings.isSqlite() ? "INTEGER PRIMARY KEY" : "BIGINT PRIMARY KEY", "octets", settings.isSqlite() ? "BLOB" : "BYTEA")).loggers("slf4j").load();
        for (MigrationInfo each : flyway.info().applied()) {
            if (each.getState().isApplied() && !each.getState().isResolved()) {
                throw new AnepException(settings.kind().newer(), "the database has version " + each.getVersion() + " (" + each.getDescription() + "), which this program does not know");
            }
        }
        // A standby takes no lock for a migration that is not needed.
        if (flyway.info().pending().length > 0) {
            flyway.migrate();
        }
    }

    /** Looks something up. @throws AnepException EE-783; those of the kind */
    public <T> T read(Work<T> work) {
        try {
            return jdbi.withHandle(work::with);
        } catch (JdbiException e) {
            throw translated(e);
        }
    }

    /** Changes something, whole or not at all. @throws AnepException EE-783, EE-784; those of the kind */
    public <T> T write(Work<T> work) {
        if (settings.kind().isShared()) {
            return transaction(work);
        }
        try {
            if (!writing.tryLock(3 * settings.patienceSeconds(), TimeUnit.SECONDS)) {
                throw new AnepException(ErrorCode.NO_DATABASE, "the database has been busy for " + 3 * settings.patienceSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.STOPPING, "it is stopping", e);
        }
        try {
            if (!isOurs) {
                throw new AnepException(ErrorCode.NO_DATABASE, "another " + settings.user() + " uses the database");
            }
            T result = transaction(work);
            checkFile();
            return result;
        } finally {
            writing.unlock();
        }
    }

    private <T> T transaction(Work<T> work) {
        try {
            return jdbi.inTransaction(work::with);
        } catch (JdbiException e) {
            AnepException known = translated(e);
            if (known.code() == settings.kind().readOnly()) {
                renew();
            }
            throw known;
        }
    }

    /** Leaves its connections as they become idle: of several hosts in the URL another one may take changes by now. */
    public void renew() {
        if (pool.getHikariPoolMXBean() != null) {
            pool.getHikariPoolMXBean().softEvictConnections();
        }
    }

    /** Whether the database is still there, and used by nobody else of this kind. @throws AnepException EE-783 */
    public void check() {
        checkFile();
        try {
            if (sole != null) {
                sole.check();
                isOurs = true;
            }
        } catch (SQLException e) {
            throw translated(e);
        } catch (AnepException e) {
            isOurs = false;
            throw e;
        }
    }

    /** SQLite goes on with a file that somebody has removed, and all is lost with the process. */
    private void checkFile() {
        if (file == null) {
            return;
        }
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class).fileKey().equals(fileKey)) {
                throw new AnepException(ErrorCode.NO_DATABASE, file + " is another file than it was: restart the " + settings.user());
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NO_DATABASE, file + " is gone: " + AnepException.reason(e), e);
        }
    }

    /** Octets of the database; -1 if it cannot be asked. */
    public long octets() {
        try {
            return file != null ? Files.size(file) : read(handle -> handle.createQuery("SELECT pg_database_size(current_database())").mapTo(Long.class).one());
        } catch (IOException | AnepException e) {
            return -1;
        }
    }

    /** A file of SQLite otherwise. */
    public boolean isPostgresql() {
        return file == null;
    }

    /** {@code SQLite} or {@code PostgreSQL}. */
    public String product() {
        return file != null ? "SQLite" : "PostgreSQL";
    }

    private AnepException translated(Exception error) {
        return translated(error, settings.kind());
    }

    private static AnepException translated(Exception error, Kind kind) {
        SQLException first = null;
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                // The pool's own says no more than that there is no connection; what it has as a cause says why.
                first = first == null || first instanceof SQLTransientConnectionException ? sql : first;
                if (DISK_FULL.equals(sql.getSQLState()) || sql.getErrorCode() == SQLiteErrorCode.SQLITE_FULL.code && sql instanceof org.sqlite.SQLiteException) {
                    return new AnepException(kind.full(), "the database has no room: " + line(sql), error);
                }
                if (READ_ONLY.equals(sql.getSQLState())) {
                    return new AnepException(kind.readOnly(), line(sql), error);
                }
                if (sql.getSQLState() != null && REFUSED.stream().anyMatch(sql.getSQLState()::startsWith)) {
                    return new AnepException(kind.refused(), line(sql), error);
                }
            }
        }
        if (first != null) {
            return new AnepException(kind.away(), line(first), error);
        }
        return new AnepException(kind.away(), error instanceof FlywayException ? "the database cannot be brought to this version: " + line(error) : line(error), error);
    }

    private static String line(Throwable error) {
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage().lines().map(String::strip).filter(each -> !each.isEmpty() && !each.startsWith("---")).findFirst().orElse("");
    }

    @Override
    public void close() {
        pool.close();
        if (sole != null) {
            sole.close();
        }
    }
}
