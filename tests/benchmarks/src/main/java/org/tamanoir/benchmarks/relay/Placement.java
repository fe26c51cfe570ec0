package org.tamanoir.benchmarks.relay;

import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.process.Pinning;
import org.tamanoir.benchmarks.process.ProcessTree;

/** Which processes run on which CPUs; the same for every system. The README of the module says what was measured. */
public enum Placement {
    /** The kernel decides. */
    FREE,
    /** The relay on CPU 1, sender and sink on CPU 0. */
    APART,
    /** Everything on CPU 0. */
    ONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    void apply(List<ProcessTree> ends, List<ProcessTree> relays) {
        ends.forEach(process -> process.pin(this == FREE ? Pinning.all() : "0"));
        relays.forEach(process -> process.pin(this == FREE ? Pinning.all() : this == APART ? "1" : "0"));
    }
}
