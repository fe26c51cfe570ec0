package org.tamanoir.client.collective;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame.Failed;
import org.tamanoir.collective.Ranks;

/** A group is broken: those who remain may join its next epoch. */
public final class GroupFailedException extends AnepException {
    private final transient Ranks missing;
    private final long safe;

    GroupFailedException(Failed failed) {
        super(ErrorCode.of(failed.code()), failed.ranks().isEmpty() ? failed.text() : "rank " + failed.ranks() + " is missing: " + failed.text());
        missing = failed.ranks();
        safe = failed.safe();
    }

    /** Who is missing; empty if that is not known. */
    public Ranks missing() {
        return missing.copy();
    }

    /** The operation behind which all members have saved what they know; 0 for none. */
    public long safe() {
        return safe;
    }
}
