package org.tamanoir.benchmarks.dyram.lab;

import java.util.Locale;

/** What can be compared. */
public enum SystemKind {
    /** Nodes on core and site routers, with election of repliers. */
    TAMANOIR,
    /** NORM, RFC 5740: libnorm of Debian, repairs by forward error correction. */
    NORM,
    /** UFTP of Debian: repairs of single packets, in rounds. */
    UFTP;

    /** As options and results name it: {@code norm}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
