package org.tamanoir.cluster.plan;

import org.tamanoir.membership.Affinity;

/** Which affinity a pool gives. */
public enum AffinitySetting {
    /** {@link Affinity#NONE}, whatever its services need. */
    NONE,
    /** {@link Affinity#SOURCE}, whatever its services need. */
    SOURCE,
    /** What the neediest of its services needs. */
    AUTO
}
