package org.tamanoir.cluster.plan;

/** How IPVS picks the back end of a new connection; by the names that ipvsadm has. The nft engine hashes, whatever is asked. */
public enum Scheduler {
    /** The fewest connections for its weight. */
    WLC,
    /** In turn, by weight. */
    WRR,
    /** The shortest expected delay. */
    SED,
    /** By a hash of the source (Maglev): two directors pick the same. */
    MH
}
