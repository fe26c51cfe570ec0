package org.tamanoir.tests;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Host;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;

/** A repository of this process that listens on an address of a host of a laboratory. */
final class LabRepository implements AutoCloseable {
    private static final String TOKEN = "for-publishers";

    private final Host host;
    private final RepositoryServer server;

    /** @param directory of its own */
    LabRepository(Host host, Path directory, Path... bundles) throws Exception {
        this(host, "127.0.0.1", directory, bundles);
    }

    /** @param address of the host where it listens */
    LabRepository(Host host, String address, Path directory, Path... bundles) throws Exception {
        // Bundles are pushed before it moves: the client that pushes is not on the host.
        try (RepositoryServer here = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory))) {
            for (Path bundle : bundles) {
                HttpFetch.of(here.url(), ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", bundle);
            }
        }
        this.host = host;
        server = host.inside(() -> RepositoryServer.start(RepositorySettings.of(new InetSocketAddress(address, 0), directory).withToken(TOKEN)));
    }

    /** Publishes a bundle while nodes look. The client is a program on the host: one of this process would not be. */
    void push(Path bundle) {
        host.run("curl", "-sf", "-H", "Authorization: Bearer " + TOKEN, "-T", bundle.toString(), url() + "/bundles");
    }

    /** For {@code repositories} of a configuration. */
    String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }
}
