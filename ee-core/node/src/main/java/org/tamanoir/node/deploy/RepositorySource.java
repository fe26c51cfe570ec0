package org.tamanoir.node.deploy;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Read;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.transport.TcpSockets;

/**
 * A repository: its index is fetched when a service is looked for, and again only if it has changed. A bundle must lie below the
 * repository's own address; an index cannot send a node elsewhere.
 */
final class RepositorySource implements BundleSource {
    private static final long INDEX_MOST = 16L << 20;
    private static final String INDEX = "index.xml";
    /** A repository that has just failed is not asked again at once: those who wait behind a slow one need not wait one by one. */
    private static final Duration FAILED = Duration.ofSeconds(1);
    /** A node that does not answer may have no code server at all: it is left alone for longer. */
    private static final Duration FAILED_NODE = Duration.ofSeconds(30);
    private static final long NODE_INDEX_MOST = 1L << 20;

    private final String name;
    private final URI base;
    private final HttpFetch http;
    private final long bundleMost;
    private final long indexMost;
    private final Duration rest;
    private final Consumer<List<FoundBundle>> offered;
    private String etag;
    private List<FoundBundle> index = List.of();
    private volatile Failure failure;

    private record Failure(AnepException why, long nanos) {
    }

    private RepositorySource(String name, String url, SSLContext tls, Duration timeout, long bundleMost, long indexMost, Duration rest,
                             Consumer<List<FoundBundle>> offered) {
        this.name = name;
        this.base = URI.create(url.endsWith("/") ? url : url + "/");
        this.http = HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).tls(tls).timeout(timeout);
        this.bundleMost = bundleMost;
        this.indexMost = indexMost;
        this.rest = rest;
        this.offered = offered;
    }

    /**
     * A repository of the configuration.
     *
     * @param tls        for https; null for the JDK's authorities
     * @param timeout    for one request, answer included
     * @param bundleMost octets of the largest bundle that is accepted
     * @param offered    told of every index that it sends
     */
    static RepositorySource repository(String url, SSLContext tls, Duration timeout, long bundleMost, Consumer<List<FoundBundle>> offered) {
        return new RepositorySource(url, url, tls, timeout, bundleMost, INDEX_MOST, FAILED, offered);
    }

    /** The code server of another node, by https if there is {@code tls}. */
    static RepositorySource node(InetSocketAddress address, SSLContext tls, Duration timeout, long bundleMost) {
        return new RepositorySource(nodeName(address), (tls == null ? "http://" : "https://") + TcpSockets.text(address), tls, timeout, bundleMost,
                NODE_INDEX_MOST, FAILED_NODE, index -> { });
    }

    static String nodeName(InetSocketAddress address) {
        return "node " + TcpSockets.text(address);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized List<FoundBundle> find(int typeId) {
        refresh();
        return index.stream().filter(bundle -> bundle.typeId() == typeId).sorted(FoundBundle.NEWEST_FIRST).toList();
    }

    private void refresh() {
        if (isResting()) {
            throw failure.why;
        }
        try {
            Read<List<FoundBundle>> read = http.readIfChanged("/" + INDEX, etag, indexMost, in -> R5Index.read(in, base.resolve(INDEX)));
            if (read.value().isPresent()) {
                index = read.value().get();
                etag = read.etag();
                offered.accept(index);
            }
            failure = null;
        } catch (AnepException e) {
            throw rests(asSource(e));
        }
    }

    private AnepException rests(AnepException why) {
        failure = new Failure(why, System.nanoTime());
        return why;
    }

    /** Whether it has failed and is left alone for a while. */
    boolean isResting() {
        Failure last = failure;
        return last != null && System.nanoTime() - last.nanos < rest.toNanos();
    }

    @Override
    public void fetch(FoundBundle bundle, Path file) {
        String path = base.relativize(bundle.content()).toString();
        if (bundle.content().equals(URI.create(path)) || path.contains("..")) {
            throw new AnepException(ErrorCode.BAD_BUNDLE, name + " says that " + bundle.name() + " is at " + bundle.content()
                    + ", which is not below its own address");
        }
        try {
            http.toFile("/" + path, file, bundle.size() > 0 ? Math.min(bundle.size(), bundleMost) : bundleMost);
        } catch (AnepException e) {
            AnepException why = asSource(e);
            // A node that says what it has and does not send it would cost the time-out again for each service.
            throw rest.equals(FAILED_NODE) ? rests(why) : why;
        }
    }

    /** What a repository can do wrong is either not to answer or to answer nonsense. */
    private AnepException asSource(AnepException error) {
        if (error.code() == ErrorCode.REPOSITORY_UNREACHABLE) {
            return error;
        }
        // One that cannot answer now says why: what keeps its bundles is away, for example.
        boolean isLater = HttpError.statusOf(error.code()) == 503;
        return new AnepException(isLater ? ErrorCode.REPOSITORY_UNREACHABLE : ErrorCode.BAD_BUNDLE, name + ": " + (isLater ? error.getMessage() : error.text()), error);
    }
}
