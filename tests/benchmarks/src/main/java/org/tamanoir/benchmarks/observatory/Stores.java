package org.tamanoir.benchmarks.observatory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.database.Database;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;

/** The databases that an observatory may have, on the disk of the temporary folder, and both with what is acknowledged on it. */
final class Stores implements AutoCloseable {
    static final String SQLITE = "SQLite";
    static final String POSTGRESQL = "PostgreSQL";

    private final TemporaryFolder files = new TemporaryFolder();
    private final PostgresServer postgres;

    Stores() {
        String missing = PostgresServer.missing();
        if (!missing.isEmpty()) {
            files.close();
            throw new LabException(missing);
        }
        try {
            postgres = PostgresServer.durable("127.0.0.1");
        } catch (IOException e) {
            files.close();
            throw new UncheckedIOException(e);
        }
    }

    Path folder(String name) {
        return files.folder(name);
    }

    /** Null for SQLite, which needs none. */
    private String url(String product) {
        return product.equals(SQLITE) ? null : "jdbc:postgresql://" + postgres.address() + "/postgres?user=tester";
    }

    /** An observatory on one of them. @param keep how long samples are kept */
    ObservatoryServer serve(String product, Duration keep) {
        try {
            return ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), folder(product)).withDatabase(url(product), null).withTimes(ObservatorySettings.SYNC, keep, keep));
        } catch (AnepException e) {
            throw new LabException(e.getMessage(), e);
        }
    }

    /** Octets on the disk, when all that is written has its place. */
    long octets(String product, Database database) {
        if (!product.equals(SQLITE)) {
            return database.octets();
        }
        database.read(handle -> handle.createQuery("PRAGMA wal_checkpoint(TRUNCATE)").mapTo(Integer.class).first());
        try (Stream<Path> all = Files.list(folder(product))) {
            return all.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        postgres.close();
        files.close();
    }
}
