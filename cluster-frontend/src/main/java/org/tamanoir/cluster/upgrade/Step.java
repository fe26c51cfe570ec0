package org.tamanoir.cluster.upgrade;

/** How far one back end is in a rolling upgrade. */
public enum Step {
    /** Its turn has not come. */
    PENDING,
    /** It has an order. */
    ORDERED,
    /** It takes no new streams and finishes those that it has. */
    DRAINING,
    /** It gets and starts the new version. */
    UPGRADING,
    /** It has the version and is not yet back among those that get streams. */
    RETURNING,
    /** It has the version. */
    DONE,
    /** It had the version before its turn came. */
    ALREADY,
    /** It was not there when the upgrade began and has not come since. */
    MISSED,
    /** It has not got the version, or has not kept it. */
    FAILED,
    /** The upgrade ended before its turn. */
    KEPT;

    /** Whether an order to it is out, or it is on its way back. */
    public boolean isUnderWay() {
        return this == ORDERED || this == DRAINING || this == UPGRADING || this == RETURNING;
    }

    boolean isThere() {
        return this == DONE || this == ALREADY;
    }
}
