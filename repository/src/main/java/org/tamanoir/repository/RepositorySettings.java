package org.tamanoir.repository;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpLimits;
import org.tamanoir.identity.Identity;
import org.tamanoir.repository.store.GuestQuotas;
import org.tamanoir.repository.store.postgresql.PostgresStore;
import org.tamanoir.repository.store.registry.RegistryStore;
import org.tamanoir.trust.Trust;

/**
 * How a repository runs.
 *
 * @param listen port 0 takes any that is free
 * @param data its directory; made if it is not there. With a database it holds nothing that must not be lost
 * @param token what uploads and retirement need from other machines; null lets nobody else do them
 * @param maxBundle the largest bundle in octets
 * @param verifyTime how long the bundles are hashed before it serves; what is left is hashed when it is first asked for
 * @param http limits of the server
 * @param trust whose bundles are taken
 * @param identity for https; null for http
 * @param timestampLife how long a timestamp of its TUF metadata holds; 10 s to 30 days
 * @param database where the repository is, for several processes that serve it; null if it is in {@code data}
 * @param registry where its bundles are; null if they are where the rest is
 * @param guests what each guest may have; a mirror has what its upstream has
 */
public record RepositorySettings(InetSocketAddress listen, Path data, String token, long maxBundle, Duration verifyTime, HttpLimits http,
        Trust trust, Identity identity, Duration timestampLife, PostgresStore.Settings database, RegistryStore.Settings registry, GuestQuotas guests) {
    /** 64 MiB. */
    public static final long DEFAULT_MAX_BUNDLE = 64L << 20;
    private static final Duration DEFAULT_LIFE = Duration.ofDays(1);

    /** @throws AnepException EE-501 if a time is out of range */
    public RepositorySettings {
        if (timestampLife.compareTo(Duration.ofSeconds(10)) < 0 || timestampLife.compareTo(Duration.ofDays(30)) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a timestamp holds for 10s to 720h, not for " + timestampLife.toSeconds() + " s");
        }
    }

    /** Each node of a fleet keeps a connection; the presets are for fewer. */
    private static final int CONNECTIONS = 8192;
    private static final int CONNECTIONS_OF_PEER = 512;

    /** No token, bundles of up to 64 MiB, 2 s of verification, 8,192 connections; takes bundles that nobody has signed. */
    public static RepositorySettings of(InetSocketAddress listen, Path data) {
        return new RepositorySettings(listen, data, null, DEFAULT_MAX_BUNDLE, Duration.ofSeconds(2),
                HttpLimits.DEFAULTS.withConnections(CONNECTIONS, CONNECTIONS_OF_PEER),
                Trust.development(), null, DEFAULT_LIFE, null, null, GuestQuotas.PRESET);
    }

    public RepositorySettings withToken(String newToken) {
        return new RepositorySettings(listen, data, newToken, maxBundle, verifyTime, http, trust, identity, timestampLife, database, registry, guests);
    }

    public RepositorySettings withMaxBundle(long octets) {
        return new RepositorySettings(listen, data, token, octets, verifyTime, http, trust, identity, timestampLife, database, registry, guests);
    }

    public RepositorySettings withVerifyTime(Duration time) {
        return new RepositorySettings(listen, data, token, maxBundle, time, http, trust, identity, timestampLife, database, registry, guests);
    }

    public RepositorySettings withHttp(HttpLimits limits) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, limits, trust, identity, timestampLife, database, registry, guests);
    }

    public RepositorySettings withTrust(Trust newTrust) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, newTrust, identity, timestampLife, database, registry, guests);
    }

    /** Serves https with this certificate; null serves http. */
    public RepositorySettings withIdentity(Identity newIdentity) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, trust, newIdentity, timestampLife, database, registry, guests);
    }

    /** Keeps the repository in PostgreSQL; null keeps it in the directory. */
    public RepositorySettings withDatabase(PostgresStore.Settings settings) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, trust, identity, timestampLife, settings, registry, guests);
    }

    /** Keeps the bundles in a registry; null keeps them where the rest is. */
    public RepositorySettings withRegistry(RegistryStore.Settings settings) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, trust, identity, timestampLife, database, settings, guests);
    }

    public RepositorySettings withGuests(GuestQuotas most) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, trust, identity, timestampLife, database, registry, most);
    }

    /** @throws AnepException EE-501 if it is out of range */
    public RepositorySettings withTimestampLife(Duration life) {
        return new RepositorySettings(listen, data, token, maxBundle, verifyTime, http, trust, identity, life, database, registry, guests);
    }
}
