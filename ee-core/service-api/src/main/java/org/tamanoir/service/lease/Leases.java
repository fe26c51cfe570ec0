package org.tamanoir.service.lease;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.tamanoir.anep.AnepException;

/**
 * Which of many nodes does a thing that one has to do: a group has one holder at a time, agreed by the nodes. The contract of the service {@code election}; ask for it by
 * {@code service.partner(Leases.TYPE_ID, Leases.class)}. Safe for all threads.
 */
public interface Leases {
    /** The Type ID of the service that does this. */
    int TYPE_ID = 0x5411;

    /**
     * Wishes that this node hold a group, or go on holding it. To be asked again before the lease is over, after a third of it.
     *
     * @param group 1 to 128 characters without blanks; groups of programs are the same ones
     * @param lease how long nobody follows if this node vanishes: 1 s to {@link #longest}
     * @param outcome told once what became of it, on any thread: who holds it; or why nobody can say: EE-109 for a group or a lease that there cannot be, EE-204 if no majority of
     *     the nodes answers, EE-309 if the node has too much to do
     */
    void want(String group, Duration lease, BiConsumer<Lease, AnepException> outcome);

    /** The longest lease that the operator allows. */
    Duration longest();

    /** Gives a group up, if this node holds it: somebody else may follow at once. */
    void release(String group);

    /**
     * Who holds a group.
     *
     * @param holder     the name of the node or the program
     * @param isOwn      whether it is this node
     * @param number     of an own lease: grows with each holder; show it to whatever the holder writes to, which refuses a smaller one than it has seen
     * @param untilNanos of an own lease: when it is over, by {@code ServiceContext.nanoTime}
     */
    record Lease(String holder, boolean isOwn, long number, long untilNanos) {
    }
}
