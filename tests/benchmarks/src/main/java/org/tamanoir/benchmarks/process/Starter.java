package org.tamanoir.benchmarks.process;

import java.util.List;
import org.tamanoir.lab.LabProcess;

/** Starts programs somewhere: on a host of a laboratory ({@code host::start}) or here ({@code LabProcess::start}). */
@FunctionalInterface
public interface Starter {
    /**
     * Starts a program in the background.
     *
     * @param title for messages
     */
    LabProcess start(String title, List<String> command);
}
