package org.tamanoir.repository;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;
import org.tamanoir.repository.fleet.FleetDirectory;
import org.tamanoir.repository.fleet.FleetServer;
import org.tamanoir.repository.fleet.FleetStore;
import org.tamanoir.repository.mirror.Mirror;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.BundleStore;
import org.tamanoir.repository.store.GuestQuotas;
import org.tamanoir.repository.store.postgresql.PostgresFleet;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.registry.RegistryBundles;
import org.tamanoir.repository.store.registry.RegistryStore;
import org.tamanoir.repository.tuf.MetadataFiles;
import org.tamanoir.repository.tuf.TufRepository;

/**
 * A running repository.
 *
 * <pre>{@code
 * try (RepositoryServer repository = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory))) {
 *     HttpFetch.of(repository.url(), ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", jar);
 * }
 * }</pre>
 */
public final class RepositoryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RepositoryServer.class);
    private static final Duration MOST_BETWEEN_LOOKS = Duration.ofMinutes(1);
    /** How often it is looked whether metadata expires soon, in the life of a timestamp. */
    private static final int LOOKS_A_LIFE = 32;
    private static final long CLOSE_SECONDS = 5;

    private static final int WORKERS = 4;

    private final BundleStore store;
    private final RepositoryApi api;
    private final ScheduledExecutorService clock;
    private final FleetServer fleet;
    /** Null if it follows nobody. */
    private final Mirror mirror;
    private final HttpServer http;
    /** For this machine alone; null if {@link #http} is there for it too. */
    private final HttpServer local;

    private RepositoryServer(BundleStore store, RepositoryApi api, ScheduledExecutorService clock, FleetServer fleet, Mirror mirror, HttpServer http, HttpServer local) {
        this.store = store;
        this.api = api;
        this.clock = clock;
        this.fleet = fleet;
        this.mirror = mirror;
        this.http = http;
        this.local = local;
    }

    /**
     * Opens the data directory and serves it. When this returns, requests are answered. One that listens on an address of a network has the
     * same port of the loopback address as well, if that is free: this machine is known by it, and may publish without a token.
     *
     * @throws org.tamanoir.anep.AnepException EE-503 if the directory is in use or cannot be used, EE-426 if its TUF metadata is damaged, EE-502
     *     if the address cannot be listened on, EE-435 to EE-439 of a database, EE-430 to EE-434 if the directory has bundles that a registry
     *     does not take
     */
    public static RepositoryServer start(RepositorySettings settings) {
        return start(settings, null);
    }

    /**
     * Serves a data directory and keeps it as another repository is. When this returns, requests are answered with what is there; uploads
     * and retirement are refused (EE-412).
     *
     * @param upstream null to follow nobody
     * @throws org.tamanoir.anep.AnepException as the other one, EE-501 if it is to mirror, or has TUF metadata, with a database
     */
    public static RepositoryServer start(RepositorySettings settings, MirrorSettings upstream) {
        if (upstream != null && settings.database() != null) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a mirror keeps what it has in a directory of its own, and in no database");
        }
        if (settings.database() != null) {
            TufRepository.checkNone(settings.data());
        }
        BundleStore store = open(settings);
        store.limitGuests(upstream == null ? settings.guests() : GuestQuotas.NONE);
        Mirror mirror = null;
        ScheduledExecutorService clock = null;
        FleetServer fleet = null;
        try {
            TufRepository tuf = upstream == null && settings.database() == null ? TufRepository.open(settings.data(), store, InstantSource.system(), settings.timestampLife()) : null;
            MetadataFiles files = tuf == null ? MetadataFiles.open(settings.data()) : tuf.files();
            clock = tuf == null ? null : renewing(tuf, settings);
            fleet = new FleetServer(fleet(settings), InstantSource.system(), Mirror::clock);
            mirror = upstream == null ? null : Mirror.start(upstream, store, files, settings.trust());
            RepositoryApi api = new RepositoryApi(store, tuf, files, settings, mirror, fleet);
            Route[] routes = api.routes();
            HttpServer http = server(settings, settings.listen(), routes);
            return new RepositoryServer(store, api, clock, fleet, mirror, http, local(settings, http.address(), routes));
        } catch (RuntimeException e) {
            close(clock, fleet, mirror, store);
            throw e;
        }
    }

    private static BundleStore open(RepositorySettings settings) {
        if (settings.database() != null) {
            return PostgresStore.open(settings.data(), settings.database(), settings.registry(), settings.trust());
        }
        return settings.registry() != null ? RegistryStore.open(settings.data(), settings.registry(), settings.trust())
                : BundleStore.open(settings.data(), settings.trust(), settings.verifyTime());
    }

    /** Has metadata signed again well before it expires. */
    private static ScheduledExecutorService renewing(TufRepository tuf, RepositorySettings settings) {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "metadata");
            thread.setDaemon(true);
            return thread;
        });
        long millis = Math.min(MOST_BETWEEN_LOOKS.toMillis(), settings.timestampLife().toMillis() / LOOKS_A_LIFE);
        clock.scheduleWithFixedDelay(tuf::renew, millis, millis, TimeUnit.MILLISECONDS);
        return clock;
    }

    private static FleetStore fleet(RepositorySettings settings) {
        return settings.database() != null ? PostgresFleet.open(settings.database()) : FleetDirectory.open(settings.data().resolve(FleetDirectory.NAME));
    }

    private static HttpServer server(RepositorySettings settings, InetSocketAddress address, Route... routes) {
        HttpServer.Builder http = HttpServer.at(address).name("repository").limits(settings.http()).route(routes);
        if (settings.registry() != null) {
            // Those whose uploads wait for the registry keep nobody from the rest.
            http.workers(WORKERS + 2 * RegistryBundles.UPLOADS);
        }
        if (settings.identity() != null) {
            http.tls(settings.identity().sslContext(name -> false), false, Identity::names);
        }
        return http.start();
    }

    /** @return null if the address is this machine's own already, or if another has the port there */
    private static HttpServer local(RepositorySettings settings, InetSocketAddress at, Route... routes) {
        if (at.getAddress().isAnyLocalAddress() || at.getAddress().isLoopbackAddress()) {
            return null;
        }
        try {
            String loopback = at.getAddress() instanceof Inet4Address ? "127.0.0.1" : "::1";
            return server(settings, new InetSocketAddress(loopback, at.getPort()), routes);
        } catch (AnepException e) {
            LOG.warn("programs on this machine need the token too, as those of others do: {}", e.getMessage());
            return null;
        }
    }

    public InetSocketAddress address() {
        return http.address();
    }

    /** {@code http://127.0.0.1:3325}. */
    public String url() {
        return http.url();
    }

    /** Lets requests under way finish, for up to 5 s, and gives the directory back. */
    @Override
    public void close() {
        if (local != null) {
            local.close();
        }
        api.close();
        http.close();
        close(clock, fleet, mirror, store);
    }

    private static void await(ScheduledExecutorService clock) {
        try {
            if (!clock.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("metadata is still being signed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(ScheduledExecutorService clock, FleetServer fleet, Mirror mirror, BundleStore store) {
        if (clock != null) {
            clock.shutdown();
            await(clock);
        }
        if (fleet != null) {
            fleet.close();
        }
        if (mirror != null) {
            mirror.close();
        }
        store.close();
    }
}
