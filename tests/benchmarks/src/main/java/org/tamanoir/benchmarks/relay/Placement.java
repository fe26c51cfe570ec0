package org.tamanoir.benchmarks.relay;

import java.util.List;
import java.util.Locale;
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

    void apply(RelayTestbed testbed, List<ProcessTree> relays) {
        String ends = this == FREE ? ProcessTree.allCpus() : "0";
        String middle = this == FREE ? ProcessTree.allCpus() : this == APART ? "1" : "0";
        new ProcessTree(testbed.sender().pid()).pin(ends);
        new ProcessTree(testbed.sink().pid()).pin(ends);
        relays.forEach(process -> process.pin(middle));
    }
}
