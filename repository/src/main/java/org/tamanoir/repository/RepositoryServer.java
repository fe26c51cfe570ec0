package org.tamanoir.repository;

import java.net.InetSocketAddress;
import org.tamanoir.http.HttpServer;
import org.tamanoir.identity.Identity;
import org.tamanoir.repository.mirror.Mirror;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.BundleStore;

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
    private final BundleStore store;
    /** Null if it follows nobody. */
    private final Mirror mirror;
    private final HttpServer http;

    private RepositoryServer(BundleStore store, Mirror mirror, HttpServer http) {
        this.store = store;
        this.mirror = mirror;
        this.http = http;
    }

    /**
     * Opens the data directory and serves it. When this returns, requests are answered.
     *
     * @throws org.tamanoir.anep.AnepException EE-503 if the directory is in use or cannot be used, EE-502 if the address cannot be listened
     *     on
     */
    public static RepositoryServer start(RepositorySettings settings) {
        return start(settings, null);
    }

    /**
     * Serves a data directory and keeps it as another repository is. When this returns, requests are answered with what is there; uploads
     * and retirement are refused (EE-412).
     *
     * @param upstream null to follow nobody
     * @throws org.tamanoir.anep.AnepException as the other one
     */
    public static RepositoryServer start(RepositorySettings settings, MirrorSettings upstream) {
        BundleStore store = BundleStore.open(settings.data(), settings.trust(), settings.verifyTime());
        Mirror mirror = null;
        try {
            mirror = upstream == null ? null : Mirror.start(upstream, store, settings.trust());
            HttpServer.Builder http = HttpServer.at(settings.listen()).name("repository").limits(settings.http())
                    .route(new RepositoryApi(store, settings, mirror).routes());
            if (settings.identity() != null) {
                http.tls(settings.identity().sslContext(name -> false), false, Identity::names);
            }
            return new RepositoryServer(store, mirror, http.start());
        } catch (RuntimeException e) {
            close(mirror, store);
            throw e;
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
        http.close();
        close(mirror, store);
    }

    private static void close(Mirror mirror, BundleStore store) {
        if (mirror != null) {
            mirror.close();
        }
        store.close();
    }
}
