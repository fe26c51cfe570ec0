package org.tamanoir.observatory.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Keeps a second observatory away from a database of PostgreSQL: an advisory lock, held by a connection of its own. PostgreSQL gives it back when the connection ends,
 * however it does.
 */
final class SoleUse implements AutoCloseable {
    /** "observat". */
    private static final long KEY = 0x6f62736572766174L;
    /** What another process held is free when PostgreSQL has seen that it is gone. */
    private static final long PATIENCE_MILLIS = 10_000;
    private static final long AGAIN_MILLIS = 200;
    private static final int VALID_SECONDS = 5;

    private final String url;
    private final Properties properties;
    private Connection connection;

    SoleUse(String url, Properties properties) {
        this.url = url;
        this.properties = properties;
    }

    /** Takes the lock, or looks whether it is still held. @throws AnepException EE-783 if another one has it */
    synchronized void hold() throws SQLException {
        if (connection != null && connection.isValid(VALID_SECONDS)) {
            return;
        }
        close();
        connection = DriverManager.getConnection(url, properties);
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (!take()) {
            if (System.nanoTime() > end) {
                close();
                throw new AnepException(ErrorCode.NO_DATABASE, "another observatory uses the database");
            }
            try {
                Thread.sleep(AGAIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AnepException(ErrorCode.STOPPING, "the observatory is stopping", e);
            }
        }
    }

    private boolean take() throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery("SELECT pg_try_advisory_lock(" + KEY + ")")) {
            return result.next() && result.getBoolean(1);
        }
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
