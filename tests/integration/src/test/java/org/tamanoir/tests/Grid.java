package org.tamanoir.tests;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.settings.Settings;

/** A repository with the bundled services and some nodes, on loopback, in this process; gone when closed. */
final class Grid implements AutoCloseable {
    static final int FORWARD = 0x5401;
    static final int MONITORING = 0x5402;
    static final int COMPRESSION = 0x5403;

    private final Path directory;
    private final List<Node> nodes = new ArrayList<>();
    private final long directMemoryBefore = PlatformDependent.usedDirectMemory();
    private RepositoryServer repository;

    Grid() throws IOException {
        directory = Files.createTempDirectory("tamanoir-test");
    }

    /** A grid whose repository offers the bundled services. */
    static Grid withRepository() throws IOException {
        Grid grid = new Grid();
        grid.repository = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), grid.directory.resolve("repo")));
        for (String service : List.of("forward", "monitoring", "compression")) {
            grid.push(bundle(service));
        }
        return grid;
    }

    /** The bundle of a service of this project. */
    static Path bundle(String service) throws IOException {
        Path target = Path.of("../../services", service, "target");
        try (Stream<Path> jars = Files.list(target)) {
            return jars.filter(jar -> jar.getFileName().toString().matches(service + "-[0-9.]+\\.jar")).findFirst()
                    .orElseThrow(() -> new IllegalStateException("no bundle in " + target.toAbsolutePath()));
        }
    }

    void push(Path jar) {
        HttpFetch.of(repository.url(), ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", jar);
    }

    /** Direct memory of this process when the grid was made. */
    long directMemoryBefore() {
        return directMemoryBefore;
    }

    Path directory() {
        return directory;
    }

    RepositoryServer repository() {
        return repository;
    }

    /** A node on loopback that takes services from the repository of this grid, if it has one. */
    Node node(Consumer<Settings> more) {
        Settings configuration = prepare(Settings.none()).set("threads", 2).set("drain", "1s").set("limits.service-timeout", "2s");
        more.accept(configuration);
        // Over TCP in development alone: elsewhere that needs a token, and with certificates one of them.
        NodeConfiguration so = NodeConfiguration.of(configuration);
        configuration.set("admin", so.admin() == null && so.development() && so.tls() == null ? "127.0.0.1:0" : null);
        return started(Node.start(NodeConfiguration.of(configuration)));
    }

    /** A node that watches its configuration file. */
    Node node(Path file) {
        return node(file, directory.resolve("node" + nodes.size()));
    }

    /** The same with a data directory. */
    Node node(Path file, Path data) {
        return started(Node.start(new ConfigurationSource(file, () -> prepare(Settings.of(file)).set("admin", "127.0.0.1:0").set("data", data))));
    }

    private Node started(Node node) {
        nodes.add(node);
        return node;
    }

    private Settings prepare(Settings configuration) {
        configuration.set("listen", "127.0.0.1:0");
        configuration.set("development", true);
        configuration.set("data", directory.resolve("node" + nodes.size()));
        return configuration.set("repositories", repository == null ? List.of() : List.of(repository.url()));
    }

    /** A node on the directory of the first one, for the caller to close before the next is started there. */
    Node again(Consumer<Settings> more) {
        Node node = node(configuration -> {
            configuration.set("data", directory.resolve("node0"));
            more.accept(configuration);
        });
        nodes.remove(node);
        return node;
    }

    /** A node that delivers to loopback. */
    Node node() {
        return node(configuration -> { });
    }

    /** A node that sends all of loopback to another one. */
    Node nodeTo(Node next) {
        return node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + next.address().getPort())));
    }

    /** Runs something that may block on a thread of its own; the common pool may have only one. */
    static CompletableFuture<Void> async(Runnable task) {
        return CompletableFuture.runAsync(task, run -> {
            Thread thread = new Thread(run, "test");
            thread.setDaemon(true);
            thread.start();
        });
    }

    static HttpFetch admin(Node node) {
        return HttpFetch.of(node.adminUrl(), ErrorCode.UNREACHABLE);
    }

    @Override
    public void close() throws IOException {
        Collections.reverse(nodes);
        nodes.forEach(Node::close);
        if (repository != null) {
            repository.close();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
