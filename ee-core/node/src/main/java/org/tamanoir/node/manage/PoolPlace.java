package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.stream.Streams;

/**
 * What this node is seen from the addresses of its pools: their back ends may have the same configuration as the edge node. The machine's addresses are
 * looked at once a second at most.
 */
final class PoolPlace implements PoolTable.Place {
    private static final long LOOK_NANOS = 1_000_000_000;

    private static final int MOST_LOOKED = 64;

    private record Looked(boolean own, long nanos) {
    }

    private final Streams streams;
    private final ClusterMember cluster;
    private final Map<InetSocketAddress, Looked> looked = new ConcurrentHashMap<>();

    PoolPlace(Streams streams, ClusterMember cluster) {
        this.streams = streams;
        this.cluster = cluster;
    }

    @Override
    public boolean serves(InetSocketAddress address) {
        return cluster.serves(address) || isOwn(address);
    }

    private boolean isOwn(InetSocketAddress address) {
        Looked last = looked.get(address);
        long now = System.nanoTime();
        if (last == null || now - last.nanos() > LOOK_NANOS) {
            if (looked.size() > MOST_LOOKED) {
                looked.clear();
            }
            last = new Looked(streams.own().contains(address), now);
            looked.put(address, last);
        }
        return last.own();
    }

    @Override
    public boolean isBackEnd() {
        return cluster.settings() != null;
    }
}
