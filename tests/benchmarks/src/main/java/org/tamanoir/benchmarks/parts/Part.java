package org.tamanoir.benchmarks.parts;

import java.util.function.Consumer;

/**
 * Something that can be measured by itself.
 *
 * @param name    for {@code --part}: lower case letters, digits and dashes
 * @param measure measures it
 * @param <P>     the plan, which all parts of a bench are told
 */
public record Part<P>(String name, Measurement<P> measure) {
    /** How it is measured. */
    public interface Measurement<P> {
        /**
         * Runs it.
         *
         * @param progress told what is being done, a line at a time
         * @throws org.tamanoir.lab.LabException if nothing can be measured; of a run that gives no figure the outcome tells
         */
        Outcome run(P plan, Consumer<String> progress);
    }

    Outcome run(P plan, Consumer<String> progress) {
        return measure.run(plan, line -> progress.accept(name + ": " + line));
    }
}
