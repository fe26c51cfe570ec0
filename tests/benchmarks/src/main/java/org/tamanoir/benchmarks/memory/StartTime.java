package org.tamanoir.benchmarks.memory;

import java.nio.file.Path;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Samples;

/** From the start of the process {@code node run} to its READY line, with an empty folder. */
final class StartTime {
    private StartTime() {
    }

    static void measure(Samples samples) {
        try (Workbench workbench = new Workbench()) {
            Path data = workbench.folder("node");
            long start = System.nanoTime();
            NodeProcess.start(workbench, "127.0.0.1:0", data);
            samples.add(Memory.start(), (System.nanoTime() - start) / 1e9);
        }
    }
}
