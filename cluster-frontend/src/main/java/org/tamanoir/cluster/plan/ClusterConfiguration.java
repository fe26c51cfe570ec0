package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.membership.Addresses;

/**
 * The pools of a cluster, as whoever runs it has written them down. No two have the same name, or the same address and port.
 *
 * @param pools in the order in which they were written
 */
public record ClusterConfiguration(List<Pool> pools) {
    private record End(InetAddress address, int port) {
    }

    /** @throws AnepException EE-501 with the field */
    public ClusterConfiguration {
        pools = List.copyOf(pools);
        Set<String> names = new HashSet<>();
        Set<End> ends = new HashSet<>();
        for (Pool pool : pools) {
            if (!names.add(pool.name())) {
                throw Pool.bad("pools." + pool.name(), "is there twice");
            }
            for (InetAddress address : pool.addresses()) {
                if (!ends.add(new End(address, pool.port()))) {
                    throw Pool.bad("pools." + pool.name() + ".addresses", "has " + Addresses.text(address) + " with port " + pool.port()
                            + ", which another pool has");
                }
            }
        }
    }

    /** The pool of this name. */
    public Optional<Pool> pool(String name) {
        return pools.stream().filter(pool -> pool.name().equals(name)).findAny();
    }

    /** All virtual addresses. */
    public Set<InetAddress> virtualAddresses() {
        return pools.stream().flatMap(pool -> pool.addresses().stream()).collect(Collectors.toUnmodifiableSet());
    }
}
