package org.tamanoir.repository.store;

import java.io.IOException;
import java.time.Instant;
import org.tamanoir.anep.AnepException;

/**
 * Keeps the catalogue of a repository, and knows none of its rules. Several processes may share what is behind it. For any number of threads.
 */
public interface CatalogueKeeper extends Keeper {
    /** What is published, as far as this process knows: what it has changed itself, at least. Never waits. */
    Catalogue catalogue();

    /**
     * Changes the catalogue as one transaction, whole or not at all: of two at once, in whatever process, one sees what the other has done. When this returns, the change
     * survives whatever happens to the process and the machine.
     *
     * @throws IOException if it was not taken, or if nobody knows: a kill at this moment leaves the same
     * @throws AnepException what the rule throws; nothing has changed then. Others where the keeper says so
     */
    Changed change(Rule rule) throws IOException;

    /** What is to be changed. Has no effect of its own, for it may be applied more than once. */
    interface Rule {
        /**
         * The catalogue after the change.
         *
         * @param now by the clock that all who share the catalogue go by
         * @return {@code before} itself, if nothing changes
         * @throws AnepException if it is not allowed
         */
        Catalogue apply(Catalogue before, Instant now);
    }

    /** What a change has done: {@code before == after} if nothing. */
    record Changed(Catalogue before, Catalogue after) {
    }
}
