package org.tamanoir.qos.domain;

import java.util.List;

/** {@code tc(8)}, or what stands for it. */
public interface TrafficControl {
    /**
     * Asks for something.
     *
     * @param arguments of {@code tc}
     * @return what it printed
     * @throws org.tamanoir.anep.AnepException (EE-810) with what it said if it failed
     */
    String ask(List<String> arguments);

    /**
     * Gives commands one after the other; the first that fails ends it.
     *
     * @param lines as of {@code tc -batch}
     * @throws org.tamanoir.anep.AnepException (EE-810) with what was said of the command that failed; those before it are in force
     */
    void batch(List<String> lines);
}
