package org.tamanoir.observatory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpLimits;
import org.tamanoir.http.HttpServer;
import org.tamanoir.identity.Identity;
import org.tamanoir.observatory.api.Api;
import org.tamanoir.observatory.api.Roles;
import org.tamanoir.observatory.api.Roles.Grant;
import org.tamanoir.observatory.api.Roles.Role;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.publish.Publication;
import org.tamanoir.observatory.publish.Publication.Sink;
import org.tamanoir.observatory.publish.Sinks;
import org.tamanoir.database.Database;
import org.tamanoir.settings.PrivateDirectory;

/**
 * A running observatory.
 *
 * <pre>{@code
 * try (ObservatoryServer observatory = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory))) {
 *     HttpFetch.of(observatory.url(), ErrorCode.NO_OBSERVATORY).json("/v1/theodolites");
 * }
 * }</pre>
 */
public final class ObservatoryServer implements AutoCloseable {
    private static final String FILE = "observatory.sqlite";
    private static final int PATIENCE_SECONDS = 10;
    private static final String MIGRATIONS = "org.tamanoir.observatory.db";
    private static final String OF_POSTGRESQL = "org.tamanoir.observatory.postgresql";
    private static final int WORKERS = 8;
    /** Each theodolite has two requests that wait, and sends samples beside them. */
    private static final int CONNECTIONS = 30_000;
    /** A poll that waits is silent for a minute. */
    private static final Duration IDLE = Duration.ofSeconds(90);

    private final FileChannel lock;
    private final Observatory observatory;
    private final List<Publication> publications;
    private final HttpServer http;

    private ObservatoryServer(FileChannel lock, Observatory observatory, List<Publication> publications, HttpServer http) {
        this.lock = lock;
        this.observatory = observatory;
        this.publications = publications;
        this.http = http;
    }

    /**
     * Opens the database and serves. When this returns, requests are answered.
     *
     * @throws AnepException EE-503 if the directory is in use or cannot be used, EE-502 if the address cannot be listened on; EE-783, EE-785 of the database
     */
    public static ObservatoryServer start(ObservatorySettings settings) {
        FileChannel lock = lock(settings.data());
        Database database = null;
        Observatory observatory = null;
        List<Publication> publications = new ArrayList<>();
        try {
            database = Database.open(new Database.Settings("observatory", settings.database() == null ? List.of(MIGRATIONS) : List.of(MIGRATIONS, OF_POSTGRESQL), settings.data().resolve(FILE), settings.database(), settings.password(), PATIENCE_SECONDS));
            observatory = new Observatory(database, settings.sync(), settings.keep(), settings.keepStreams());
            Observatory made = observatory;
            sinks(settings, observatory).forEach(sink -> publications.add(new Publication(made.samples(), sink)));
            HttpServer.Builder http = HttpServer.at(settings.listen()).name("observatory").workers(WORKERS)
                    .limits(HttpLimits.DEFAULTS.withConnections(CONNECTIONS, CONNECTIONS).withTimes(IDLE, HttpLimits.DEFAULTS.bodyGrace(), HttpLimits.DEFAULTS.linger()))
                    .route(new Api(observatory, roles(settings.access()), publications).routes());
            if (settings.identity() != null) {
                http.tls(settings.identity().sslContext(name -> false), false, Identity::names);
            }
            return new ObservatoryServer(lock, observatory, publications, http.start());
        } catch (RuntimeException e) {
            publications.forEach(Publication::close);
            if (observatory != null) {
                observatory.close();
            } else if (database != null) {
                database.close();
            }
            close(lock);
            throw e;
        }
    }

    private static List<Sink> sinks(ObservatorySettings settings, Observatory observatory) {
        List<Sink> sinks = new ArrayList<>();
        if (settings.publishFile() != null) {
            sinks.add(Sinks.file(settings.publishFile()));
        }
        if (settings.publishPscheduler() != null) {
            sinks.add(Sinks.pscheduler(settings.publishPscheduler(), observatory::host));
        }
        return sinks;
    }

    private static Roles roles(ObservatorySettings.Access access) {
        return new Roles(List.of(new Grant(Role.OPERATE, access.token() == null ? List.of() : List.of(access.token()), access.operators()),
                new Grant(Role.REPORT, access.theodoliteTokens(), access.theodolites()), new Grant(Role.READ, access.readerTokens(), access.readers())));
    }

    private static FileChannel lock(Path data) {
        FileChannel channel = null;
        try {
            PrivateDirectory.make(data);
            channel = FileChannel.open(data.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // Taken by this very process.
        } catch (IOException e) {
            close(channel);
            throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + data + " cannot be used: " + AnepException.reason(e), e);
        }
        close(channel);
        throw new AnepException(ErrorCode.DATA_DIRECTORY, "the data directory " + data + " cannot be used: another process is using it");
    }

    private static void close(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("a file that is only locked cannot be closed", e);
        }
    }

    public InetSocketAddress address() {
        return http.address();
    }

    /** {@code http://127.0.0.1:3337}. */
    public String url() {
        return http.url();
    }

    /** What it knows, for programs that run one inside themselves. */
    public Observatory observatory() {
        return observatory;
    }

    /** Answers those who wait, lets requests under way finish for up to 5 s, and closes the database. */
    @Override
    public void close() {
        observatory.stopWaiting();
        http.close();
        publications.forEach(Publication::close);
        observatory.close();
        close(lock);
    }
}
