package org.tamanoir.benchmarks.qos;

import java.util.function.Consumer;

/** Something that can be measured by itself. */
public interface Part {
    /** For {@code --part}: lower case letters and digits. */
    String name();

    /**
     * Measures it.
     *
     * @param progress told what is being done, a line at a time
     * @throws org.tamanoir.lab.LabException if the network cannot be made; of a run that gives no figure the outcome tells
     */
    Outcome run(QosPlan plan, Consumer<String> progress);
}
