package org.tamanoir.repository.fleet;

import java.util.List;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;

/**
 * Where the server of a fleet keeps what it must not forget. Another process may change it too: of two changes at once one wins. What throws because the place is away
 * may be tried again.
 */
public interface FleetStore extends AutoCloseable {
    /** Generations that are kept; of older ones those that a node still has. */
    int KEPT = 100;

    /**
     * What a node has said to one of the processes.
     *
     * @param ageMillis since it has
     */
    record Said(String node, NodeReport report, long ageMillis) {
    }

    /** What was kept last; {@link FleetRecord#EMPTY} if nothing was. @throws org.tamanoir.anep.AnepException EE-503, EE-409, EE-435 to EE-439 */
    FleetRecord read();

    /** Whether something else is kept than what was read or kept here last. @throws org.tamanoir.anep.AnepException EE-435 to EE-439 */
    boolean hasChanged(FleetRecord known);

    /**
     * Keeps what comes next: when this returns it survives whatever happens to process and machine. If it throws nothing has changed, but for EE-435: then nobody knows
     * until it is read again.
     *
     * @param next  of the revision after the one that is kept
     * @param added the generation that is new with it; null for none
     * @throws org.tamanoir.anep.AnepException EE-641 if another revision is kept by now, EE-409 if it cannot be kept, EE-435 to EE-439
     */
    void commit(FleetRecord next, Generation added);

    /** @throws org.tamanoir.anep.AnepException EE-407 if there is none of this number, or not any more */
    Generation generation(long number);

    /** The newest first. */
    List<Generation.Head> history();

    /**
     * Tells the other processes what nodes have said here, and gives what they have said to others since the last time. Need not survive anything: each node says all of it
     * again.
     *
     * @throws org.tamanoir.anep.AnepException EE-435 to EE-439; then the others have not been told
     */
    List<Said> exchange(List<Said> here);

    @Override
    void close();
}
