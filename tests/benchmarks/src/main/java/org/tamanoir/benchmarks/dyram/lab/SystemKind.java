package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import java.util.Locale;

/** What can be compared. */
public enum SystemKind {
    /** Nodes on core and site routers, and a command for each receiver. */
    TAMANOIR,
    /** The same nodes, and one process for all receivers of a site. */
    TAMANOIR_SITE,
    /** NORM, RFC 5740: libnorm of Debian, repairs by forward error correction. */
    NORM,
    /** UFTP of Debian: repairs of single packets, in rounds. */
    UFTP;

    /** Those of Tamanoir itself. */
    static final List<SystemKind> OWN = List.of(TAMANOIR, TAMANOIR_SITE);
    /** What is compared where nothing else is asked for. */
    public static final List<SystemKind> DEFAULTS = List.of(values());
    /** The same for more receivers than there can be JVMs. */
    public static final List<SystemKind> LARGE = List.of(TAMANOIR_SITE, NORM, UFTP);

    boolean isOwn() {
        return OWN.contains(this);
    }

    /** As options and results name it: {@code tamanoir-site}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
