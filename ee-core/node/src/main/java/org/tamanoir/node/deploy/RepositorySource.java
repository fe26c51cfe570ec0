package org.tamanoir.node.deploy;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.Version;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.Fetched;
import org.tamanoir.http.fetch.HttpFetch;

/**
 * A repository: its index is fetched when a service is looked for, and again only if it has changed. A bundle must lie below the
 * repository's own address; an index cannot send a node elsewhere.
 */
final class RepositorySource implements BundleSource {
    private static final long INDEX_MOST = 16L << 20;
    private static final String INDEX = "index.xml";
    /** A repository that has just failed is not asked again at once: those who wait behind a slow one need not wait one by one. */
    private static final long FAILED_NANOS = 1_000_000_000L;

    private final String url;
    private final URI base;
    private final HttpFetch http;
    private final long bundleMost;
    private String etag;
    private List<FoundBundle> index = List.of();
    private AnepException failure;
    private long failedNanos;

    /**
     * @param timeout    for one request, answer included
     * @param bundleMost octets of the largest bundle that is accepted
     */
    RepositorySource(String url, Duration timeout, long bundleMost) {
        this.url = url;
        this.base = URI.create(url.endsWith("/") ? url : url + "/");
        this.http = HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).timeout(timeout);
        this.bundleMost = bundleMost;
    }

    @Override
    public String name() {
        return url;
    }

    @Override
    public synchronized Optional<FoundBundle> find(int typeId) {
        refresh();
        return index.stream().filter(bundle -> bundle.typeId() == typeId)
                .max(Comparator.comparing(bundle -> Version.parseVersion(bundle.version())));
    }

    private void refresh() {
        if (failure != null && System.nanoTime() - failedNanos < FAILED_NANOS) {
            throw failure;
        }
        try {
            Fetched fetched = http.ifChanged("/" + INDEX, etag, INDEX_MOST);
            if (fetched.body().isPresent()) {
                index = R5Index.read(new ByteArrayInputStream(fetched.body().get()), base.resolve(INDEX));
                etag = fetched.etag();
            }
            failure = null;
        } catch (AnepException e) {
            failure = asSource(e);
            failedNanos = System.nanoTime();
            throw failure;
        }
    }

    @Override
    public void fetch(FoundBundle bundle, Path file) {
        String path = base.relativize(bundle.content()).toString();
        if (bundle.content().equals(URI.create(path)) || path.contains("..")) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, url + " says that " + bundle.name() + " is at " + bundle.content()
                    + ", which is not below its own address");
        }
        try {
            http.toFile("/" + path, file, bundle.size() > 0 ? Math.min(bundle.size(), bundleMost) : bundleMost);
        } catch (AnepException e) {
            throw asSource(e);
        }
    }

    /** What a repository can do wrong is either not to answer or to answer nonsense. */
    private AnepException asSource(AnepException error) {
        return error.code() == ErrorCode.REPOSITORY_UNREACHABLE ? error
                : new AnepException(ErrorCode.BAD_BUNDLE, url + ": " + error.text(), error);
    }
}
