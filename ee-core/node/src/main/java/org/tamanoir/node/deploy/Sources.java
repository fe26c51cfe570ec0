package org.tamanoir.node.deploy;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where services come from besides the store, in order: the node that the stream came from, neighbours, repositories. */
final class Sources {
    /** Nodes whose indices are remembered; the one that was asked longest ago is forgotten first. */
    private static final int MOST_NODES = 64;

    private final DeployerSettings settings;
    private final boolean development;
    private final List<BundleSource> repositories;
    private final List<BundleSource> neighbours;
    private final Map<InetSocketAddress, BundleSource> nodes = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, BundleSource> eldest) {
            return size() > MOST_NODES;
        }
    };

    /** @param development whether bundles run that nobody has signed */
    Sources(DeployerSettings settings, boolean development) {
        this.settings = settings;
        this.development = development;
        this.repositories = settings.repositories().stream().<BundleSource>map(url -> RepositorySource.repository(url,
                settings.requestTimeout(), settings.bundleMost())).toList();
        this.neighbours = settings.neighbours().stream().map(this::node).toList();
    }

    private synchronized BundleSource node(InetSocketAddress address) {
        return nodes.computeIfAbsent(address, at -> RepositorySource.node(at, settings.nodeTimeout(), settings.bundleMost()));
    }

    List<BundleSource> repositories() {
        return repositories;
    }

    /** @param previous the code server of the node that the stream came from, or null */
    List<BundleSource> all(InetSocketAddress previous) {
        List<BundleSource> all = new ArrayList<>();
        if (previous != null && !settings.neighbours().contains(previous) && mayBeAsked(previous)) {
            all.add(node(previous));
        }
        all.addAll(neighbours);
        all.addAll(repositories);
        return all;
    }

    /** Anybody who can reach this node can say that he is a node: where signatures do not count, only this machine is believed. */
    private boolean mayBeAsked(InetSocketAddress previous) {
        return !development || previous.getAddress().isLoopbackAddress();
    }
}
