package org.tamanoir.cluster.member;

import java.net.InetAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.membership.Addresses;

/** Whether a back end can be one of the cluster as it is configured. */
final class Admission {
    private Admission() {
    }

    /**
     * Checks a back end.
     *
     * @throws AnepException EE-903 if there is no such pool, EE-901 if the address cannot be one of its back ends', EE-908 if the port cannot
     */
    static void check(ClusterConfiguration configuration, String poolName, InetAddress address, int port) {
        Pool pool = configuration.pool(poolName).orElseThrow(() -> new AnepException(ErrorCode.NO_POOL,
                "pool is '" + poolName + "'; this front-end has " + configuration.pools().stream().map(Pool::name).sorted().toList()));
        String text = Addresses.text(address);
        if (configuration.virtualAddresses().contains(address)) {
            throw new AnepException(ErrorCode.BAD_REPORT, "address is " + text + ", which is a virtual one; it must be the back end's own");
        }
        if (!pool.serves(address)) {
            throw new AnepException(ErrorCode.BAD_REPORT, "address is " + text + "; pool " + pool.name() + " has virtual addresses of the other family only");
        }
        if (!pool.takes(port)) {
            throw new AnepException(ErrorCode.BACK_END_SETUP, "port is " + port + "; with method " + pool.method() + " pool " + pool.name()
                    + " keeps the port of packets, so it must be " + pool.port());
        }
    }
}
