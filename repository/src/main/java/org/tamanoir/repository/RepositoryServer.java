package org.tamanoir.repository;

import java.net.InetSocketAddress;
import org.tamanoir.http.HttpServer;
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
    private final HttpServer http;

    private RepositoryServer(BundleStore store, HttpServer http) {
        this.store = store;
        this.http = http;
    }

    /**
     * Opens the data directory and serves it. When this returns, requests are answered.
     *
     * @throws org.tamanoir.anep.AnepException EE-503 if the directory is in use or cannot be used, EE-502 if the address cannot be listened
     *     on
     */
    public static RepositoryServer start(RepositorySettings settings) {
        BundleStore store = BundleStore.open(settings.data(), settings.trust(), settings.verifyTime());
        try {
            HttpServer http = HttpServer.at(settings.listen()).name("repository").limits(settings.http())
                    .route(new RepositoryApi(store, settings).routes()).start();
            return new RepositoryServer(store, http);
        } catch (RuntimeException e) {
            store.close();
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
        store.close();
    }
}
