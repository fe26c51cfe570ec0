package org.tamanoir.node.fleet;

import java.util.List;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.fleet.report.Health;

/** What an agent has to do with the rest of the node. Called by its thread. */
public interface FleetTarget {
    /** What is in force; null for nothing of the fleet. */
    StoredPart inForce();

    /**
     * Puts a part in force, with the node's own file over it, and keeps it for the next start: all of it or nothing.
     *
     * @throws org.tamanoir.anep.AnepException why not; what was in force still is
     */
    void take(StoredPart part);

    /** Puts in force what is revoked. @return whether that is new @throws org.tamanoir.anep.AnepException EE-409 */
    boolean revoke(List<String> lines);

    /** How the node is, and what its streams have met since it has what is in force. */
    Health health();

    /** Where the node is not as its fleet says. */
    List<Drift> drift();

    /** Keys of the fleet that take effect when the node is started again. */
    List<String> restart();

    /** Of the program. */
    String version();
}
