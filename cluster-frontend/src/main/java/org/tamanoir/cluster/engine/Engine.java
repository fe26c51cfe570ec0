package org.tamanoir.cluster.engine;

import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.plan.Plan;

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

    /** Names of the back ends that have answered the last checks of their health. */
    Set<String> alive();

    /** What each back end has had through each virtual service, as ipvsadm has it. */
    List<Counters> counters();

    /** How it is. */
    EngineStatus status();

    /** Takes everything away that it has set up. */
    @Override
    void close();
}
