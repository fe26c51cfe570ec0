package org.tamanoir.repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.tamanoir.lab.PostgresServer;

/** Databases of one PostgreSQL server, which is started for the first that is asked for and ends with this JVM. */
public final class Databases {
    private static final AtomicInteger MADE = new AtomicInteger();
    private static PostgresServer server;

    private Databases() {
    }

    private static synchronized PostgresServer server() {
        if (server == null) {
            server = start();
        }
        return server;
    }

    /** A server for one test, which may do with it what it likes. */
    public static PostgresServer start() {
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        try {
            return new PostgresServer("127.0.0.1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URL of a database that is empty. */
    public static String fresh() {
        String name = "repository" + MADE.incrementAndGet();
        run(server().url(), "CREATE DATABASE " + name);
        return url(server(), name, "tester");
    }

    public static String url(PostgresServer of, String database, String user) {
        return "jdbc:postgresql://" + of.address() + "/" + database + "?user=" + user;
    }

    public static void run(String url, String... statements) {
        try (Connection connection = DriverManager.getConnection(url); Statement sql = connection.createStatement()) {
            for (String each : statements) {
                sql.execute(each);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first column of what a query finds. */
    public static List<String> query(String url, String query) {
        try (Connection connection = DriverManager.getConnection(url); Statement sql = connection.createStatement(); ResultSet rows = sql.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
