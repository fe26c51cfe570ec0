package org.tamanoir.database;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Properties;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Keeps a second server of one kind away from a database of PostgreSQL: an advisory lock, held by a connection of its own. PostgreSQL gives it back when the connection ends,
 * however it does.
 */
final class SoleUse implements AutoCloseable {
    /** What another process held is free when PostgreSQL has seen that it is gone. */
    private static final long PATIENCE_MILLIS = 10_000;
    private static final long AGAIN_MILLIS = 200;
    private static final int VALID_SECONDS = 5;

    private final String user;
    private final String url;
    private final Properties properties;
    private Connection connection;

    SoleUse(String user, String url, Properties properties) {
        this.user = user;
        this.url = url;
        this.properties = properties;
    }

    /** Takes the lock, with some patience, or looks whether it is still held. @throws AnepException EE-783 if another one has it */
    void hold() throws SQLException {
        hold(PATIENCE_MILLIS);
    }

    /** The same without patience. @throws AnepException EE-783 if another one has it */
    void check() throws SQLException {
        hold(0);
    }

    private synchronized void hold(long patienceMillis) throws SQLException {
        if (connection != null && connection.isValid(VALID_SECONDS)) {
            return;
        }
        close();
        connection = DriverManager.getConnection(url, properties);
        long end = System.nanoTime() + patienceMillis * 1_000_000;
        while (!take()) {
            if (System.nanoTime() > end) {
                close();
                throw new AnepException(ErrorCode.NO_DATABASE, "another " + user + " uses the database");
            }
            try {
                Thread.sleep(AGAIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AnepException(ErrorCode.STOPPING, "it is stopping", e);
            }
        }
    }

    private boolean take() throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT pg_try_advisory_lock(" + key() + ")")) {
            return result.next() && result.getBoolean(1);
        }
    }

    /** Eight letters of the name. */
    private long key() {
        return ByteBuffer.wrap(Arrays.copyOf(user.getBytes(StandardCharsets.US_ASCII), Long.BYTES)).getLong();
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                // It has ended, and the lock with it.
            }
            connection = null;
        }
    }
}
