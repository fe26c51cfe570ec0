package org.tamanoir.cluster.engine;

import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;

/**
 * Carries a plan. It owns what it has put into the kernel and nothing else, and takes it away when it is closed. Called on one thread at a time;
 * {@link #alive} and {@link #counters} on any.
 */
public interface Engine extends AutoCloseable {
    /** {@code ipvs} or {@code nft}. */
    String name();

    /**
     * Whether this engine could carry a plan as far as that can be said without the kernel, so that a file that asks for what it cannot do is refused as a
     * whole.
     *
     * @throws AnepException EE-907 with what it cannot do
     */
    default void check(Plan plan) {
    }

    /**
     * Makes the director carry a plan from now on. Connections that exist stay where they are as long as their back end is in the plan; those over UDP
     * leave a back end whose weight is 0, unless they have to stay together with their source's over TCP: then they may leave when it leaves the plan. A
     * plan that cannot be carried changes nothing: the last good one stays.
     *
     * @throws AnepException EE-905, EE-906 or EE-907, with what the kernel or the program said
     */
    void apply(Plan plan);

    /** Names of the back ends that have answered the last checks of their health, and get streams. Of those that drain an engine may not know, and names them or not. */
    Set<String> alive();

    /** What each back end has had through each virtual service, as ipvsadm has it. */
    List<Counters> counters();

    /** How it is. */
    EngineStatus status();

    /** Takes everything away that it has set up. */
    @Override
    void close();

    /**
     * How an engine is.
     *
     * @param carries whether the director carries the plan that was applied last
     * @param why     this engine was chosen: {@code the kernel has IPVS}, {@code the kernel has no IPVS (…)}
     * @param role    {@code master}, {@code backup} or {@code alone}, and {@code unknown} before it is known
     * @param problem what is wrong, with its EE-code; null if nothing is
     */
    record EngineStatus(boolean carries, String why, String role, String problem) {
    }

    /**
     * What has gone through a virtual service to one back end since it is there; rates are what the kernel estimates, or 0 where it does not.
     * Where TCP and UDP of an address and port are counted together, the service over TCP has the counters of both, and the one over UDP none.
     *
     * @param connections      that were opened
     * @param active           that are established now; with UDP those that have carried something lately
     * @param inactive         that wait for their end
     * @param inPackets        to the back end
     * @param outPackets       from it; 0 where answers do not go through the director
     * @param inOctets         to the back end, IP headers included
     * @param outOctets        from it
     * @param connectionRate   connections a second
     * @param inOctetRate      octets a second to the back end
     * @param outOctetRate     octets a second from it
     */
    record Counters(VirtualService service, RealServer server, long connections, long active, long inactive, long inPackets, long outPackets,
                           long inOctets, long outOctets, long connectionRate, long inOctetRate, long outOctetRate) {
    }
}
