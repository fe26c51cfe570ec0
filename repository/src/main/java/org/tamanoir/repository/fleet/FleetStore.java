package org.tamanoir.repository.fleet;

import java.util.List;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;

/**
 * Where the server of a fleet keeps what it must not forget. One thread at a time calls it, and another process may change it too: then one of both wins.
 */
public interface FleetStore {
    /** What was kept last; {@link FleetRecord#EMPTY} if nothing was. @throws org.tamanoir.anep.AnepException EE-503, EE-409 */
    FleetRecord read();

    /**
     * Keeps what comes next: when this returns it survives whatever happens to process and machine, and if it does not return nothing has changed.
     *
     * @param next  of the revision after the one that is kept
     * @param added the generation that is new with it; null for none
     * @throws org.tamanoir.anep.AnepException EE-641 if another revision is kept by now, EE-409 if it cannot be kept
     */
    void commit(FleetRecord next, Generation added);

    /** @throws org.tamanoir.anep.AnepException EE-407 if there is none of this number, or not any more */
    Generation generation(long number);

    /** The newest first. */
    List<Generation.Head> history();
}
