package org.tamanoir.node.deploy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.oci.Location;
import org.tamanoir.oci.Registry;
import org.tamanoir.service.rule.Prefix;

/** Where services come from besides the store, in order: the node that the stream came from, neighbours, repositories. */
final class Sources {
    /** Nodes whose indices are remembered; the one that was asked longest ago is forgotten first. */
    private static final int MOST_NODES = 64;
    /** Previous nodes that are asked at the same time: half of the threads that get services stay free for repositories. */
    static final int MOST_ASKED = Deployer.FETCHES / 2;
    /** Code servers on one account that may fail before no other one there is asked: a peer can name 65,535 ports of its host. */
    static final int MOST_SILENT = 4;

    private final DeployerSettings settings;
    private final SSLContext toNodes;
    private final List<BundleSource> repositories;
    private final List<BundleSource> neighbours;
    private final Semaphore asked = new Semaphore(MOST_ASKED);
    private final Map<InetSocketAddress, RepositorySource> nodes = BoundedMap.byUse(MOST_NODES);

    /**
     * @param metadata of repositories that publish by TUF
     * @param offered  told of what the other configured repositories have
     */
    Sources(DeployerSettings settings, RepositoryMetadata metadata, Consumer<List<FoundBundle>> offered) {
        this.settings = settings;
        this.toNodes = settings.tls() == null ? null : settings.tls().toNodes();
        SSLContext toServers = settings.tls() == null ? null : settings.tls().toServers();
        List<BundleSource> sources = new ArrayList<>();
        for (RepositoryAddress repository : settings.repositories()) {
            BundleSource source = repository.tuf() == null
                    ? RepositorySource.repository(repository.url(), toServers, settings.requestTimeout(), settings.bundleMost(), offered)
                    : metadata.source(repository.url());
            // A mirror of one that stands before it is asked there.
            if (source != null) {
                sources.add(withRegistry(repository, toServers, source));
            }
        }
        this.repositories = List.copyOf(sources);
        this.neighbours = settings.neighbours().stream().<BundleSource>map(this::node).toList();
    }

    private BundleSource withRegistry(RepositoryAddress repository, SSLContext toServers, BundleSource source) {
        if (repository.bundles() == null) {
            return source;
        }
        Registry.Settings registry = Registry.Settings.of(repository.credentials(), toServers).withTimes(settings.requestTimeout(), settings.requestTimeout().dividedBy(2));
        return new RegistrySource(source, Location.parse(repository.bundles()), new Registry(registry), settings.bundleMost());
    }

    private synchronized RepositorySource node(InetSocketAddress address) {
        // Nodes that may come in without TLS are asked without it.
        SSLContext tls = toNodes == null || settings.tls().allowsPlain(address.getAddress()) ? null : toNodes;
        return nodes.computeIfAbsent(address, at -> RepositorySource.node(at, tls, settings.nodeTimeout(), settings.bundleMost()));
    }

    List<BundleSource> repositories() {
        return repositories;
    }

    /** Those that may be asked on an account. */
    List<BundleSource> all(Asker asker) {
        List<BundleSource> all = new ArrayList<>();
        InetSocketAddress previous = asker.codeServer();
        if (previous != null && !settings.neighbours().contains(previous)) {
            all.add(new PreviousNode(asker));
        }
        all.addAll(neighbours);
        all.addAll(repositories);
        return all;
    }

    private synchronized long silent(Asker asker) {
        return nodes.entrySet().stream().filter(node -> !node.getKey().equals(asker.codeServer()) && node.getValue().isResting()
                && Asker.account(node.getKey().getAddress()).equals(asker.account())).count();
    }

    /** A node that nobody has configured: it is passed over where asking it would keep others waiting. */
    private final class PreviousNode implements BundleSource {
        private final Asker asker;

        private PreviousNode(Asker asker) {
            this.asker = asker;
        }

        @Override
        public String name() {
            return RepositorySource.nodeName(asker.codeServer());
        }

        @Override
        public List<FoundBundle> find(int typeId) {
            return ask(() -> node(asker.codeServer()).find(typeId));
        }

        @Override
        public void fetch(FoundBundle bundle, Path file) {
            ask(() -> {
                node(asker.codeServer()).fetch(bundle, file);
                return null;
            });
        }

        private <T> T ask(Supplier<T> question) {
            if (silent(asker) >= MOST_SILENT) {
                throw new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, name() + " is not asked: " + MOST_SILENT
                        + " other code servers of that host do not answer");
            }
            if (!asked.tryAcquire()) {
                throw new AnepException(ErrorCode.BUSY, name() + " is not asked: " + MOST_ASKED + " other nodes are being asked");
            }
            try {
                return question.get();
            } finally {
                asked.release();
            }
        }
    }

    /**
     * On whose account a service is got.
     *
     * @param account    for quotas: the {@link Prefix#ofPeer peer} that the stream came from, everybody who sends datagrams, or this node
     * @param codeServer of the node that a stream came from; null if there is none to ask
     */
    record Asker(String account, InetSocketAddress codeServer) {
        /** Operators, services that run, and the node itself: nothing that a peer does makes these wait. */
        static final Asker NODE = new Asker("node", null);
        /** The source of a datagram shows nothing: all of them together are one. */
        static final Asker DATAGRAMS = new Asker("datagrams", null);

        /** @param previous the peer of a connection, with the port of its code server or 0; null for a datagram */
        static Asker of(InetSocketAddress previous) {
            return previous == null ? DATAGRAMS : new Asker(account(previous.getAddress()), previous.getPort() == 0 ? null : previous);
        }

        static String account(InetAddress address) {
            return Prefix.ofPeer(address).toString();
        }

        boolean isNode() {
            return this == NODE;
        }
    }
}
