package org.tamanoir.repository.store.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;

/**
 * Learns what other processes have changed. A notification only wakes it: what counts is the revision, which it looks at after each connection and now and then anyway, so that
 * nothing is missed where a connection breaks or a pooler swallows notifications. One thread.
 */
final class Watch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final int LOOK_MILLIS = 500;
    private static final int AGAIN_MILLIS = 500;
    /** A database that does not answer a look within this is away. */
    private static final int ANSWER_MILLIS = 5_000;
    /** How often a standby is left for whatever the URL leads to by then. */
    private static final int STANDBY_LOOKS = 10;
    private static final long TIDY_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long CLOSE_SECONDS = 10;

    private final Database database;
    private final PostgresCatalogue catalogue;
    private final Consumer<Boolean> tidy;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "repository-database");
    private long tidied = System.nanoTime();
    /** Since the last look that was answered. */
    private int failures;

    /** @param tidy is done now and then while the database takes changes, with false, and when something is notified, with true */
    Watch(Database database, PostgresCatalogue catalogue, Consumer<Boolean> tidy) {
        this.database = database;
        this.catalogue = catalogue;
        this.tidy = tidy;
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isOpen() {
        return closed.getCount() > 0;
    }

    private void run() {
        while (isOpen()) {
            try {
                database.read(this::watch);
            } catch (AnepException e) {
                failed(e);
            } catch (RuntimeException e) {
                LOG.error("the watch of the database has a defect; it goes on", e);
                failed(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
            }
            try {
                closed.await(failures == 1 ? 0 : AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** A connection may break although the database is there: it is away if another one is not to be had. */
    private void failed(AnepException why) {
        failures++;
        if (isOpen() && failures > 1) {
            catalogue.failed(why);
        }
    }

    private Void watch(Handle handle) {
        try {
            Connection connection = handle.getConnection();
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
            try {
                watch(handle, connection.unwrap(PGConnection.class));
            } finally {
                forget(handle);
            }
            connection.setNetworkTimeout(Runnable::run, before);
            return null;
        } catch (SQLException e) {
            throw new AnepException(ErrorCode.DATABASE_AWAY, "the connection to the database is broken: " + e.getMessage(), e);
        }
    }

    /** The pool keeps the connection, unless it is broken. */
    private static void forget(Handle handle) {
        try {
            handle.execute("UNLISTEN *");
        } catch (JdbiException e) {
            LOG.debug("the connection is broken, or a standby's", e);
        }
    }

    private void watch(Handle handle, PGConnection notifications) throws SQLException {
        boolean listens = false;
        for (int looks = 0; isOpen() && (listens || looks < STANDBY_LOOKS); looks++) {
            boolean takesChanges = catalogue.look(handle);
            failures = 0;
            if (takesChanges && !listens) {
                handle.execute("LISTEN " + Rows.CHANNEL);
                listens = true;
                // What was changed before this is told to nobody.
                continue;
            }
            if (!takesChanges && listens) {
                return;
            }
            boolean isNotified = notifications.getNotifications(LOOK_MILLIS).length > 0;
            if (takesChanges && isNotified) {
                tidy.accept(true);
            } else if (takesChanges && System.nanoTime() - tidied > TIDY_NANOS) {
                tidied = System.nanoTime();
                tidy.accept(false);
            }
        }
        if (!listens) {
            database.renew();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
