package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The pools of a node. Looked up once a stream, by any thread; replaced as a whole, as {@link RouteTable} is. A pool that names a service goes before
 * the one of all heavy services.
 */
public final class PoolTable {
    /** What this node is itself, seen from a pool's address. */
    public interface Place {
        /** Whether streams for that address come to this node, or to one like it: it serves them. */
        boolean serves(InetSocketAddress address);

        /** Whether this node is a back end: what comes handed over is for it. */
        boolean isBackEnd();
    }

    private static final Place EDGE = new Place() {
        @Override
        public boolean serves(InetSocketAddress address) {
            return false;
        }

        @Override
        public boolean isBackEnd() {
            return false;
        }
    };

    private volatile Map<Pool, LongAdder> pools = Map.of();
    private volatile Place place = EDGE;

    /** Says what this node is itself; without this it is an edge node. */
    public void at(Place newPlace) {
        place = newPlace;
    }

    public Place place() {
        return place;
    }

    /** Puts pools in place of all others; those of an address that there was before count on. */
    public synchronized void replace(List<Pool> replacement) {
        Map<InetSocketAddress, LongAdder> counts = new LinkedHashMap<>();
        pools.forEach((pool, count) -> counts.put(pool.to(), count));
        Map<Pool, LongAdder> changed = new LinkedHashMap<>();
        replacement.forEach(pool -> changed.put(pool, counts.computeIfAbsent(pool.to(), unused -> new LongAdder())));
        pools = changed;
    }

    public boolean isEmpty() {
        return pools.isEmpty();
    }

    /** The pools, in the order of the configuration. */
    public List<Pool> all() {
        return List.copyOf(pools.keySet());
    }

    /** Whether the Type ID of a service is not enough to know its pool: its descriptor has to be asked for. */
    public boolean needsDescriptors() {
        return pools.keySet().stream().anyMatch(pool -> pool.heavy() || !pool.names().isEmpty());
    }

    /** The pool that names a Type ID; null for none. */
    public Pool named(int typeId) {
        return pools.keySet().stream().filter(pool -> pool.typeIds().contains(typeId)).findFirst().orElse(null);
    }

    /** The pool that names a service; null for none. */
    public Pool named(String service) {
        return pools.keySet().stream().filter(pool -> pool.names().contains(service)).findFirst().orElse(null);
    }

    /** The pool of heavy services; null for none. */
    public Pool heavy() {
        return pools.keySet().stream().filter(Pool::heavy).findFirst().orElse(null);
    }

    /** A stream is handed to a pool. */
    public void count(Pool pool) {
        LongAdder count = pools.get(pool);
        if (count != null) {
            count.increment();
        }
    }

    /** Streams that were handed to each pool, by its address. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        pools.forEach((pool, count) -> counts.put(pool.address(), count.sum()));
        return counts;
    }
}
