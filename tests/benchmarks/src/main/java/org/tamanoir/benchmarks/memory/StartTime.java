package org.tamanoir.benchmarks.memory;

import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabProcess;

/** From the start of the process {@code node run} to its READY line, with an empty folder. */
final class StartTime {
    private StartTime() {
    }

    static void measure(Samples samples) {
        try (TemporaryFolder files = new TemporaryFolder()) {
            long start = System.nanoTime();
            try (NodeProcess node = NodeProcess.start(LabProcess::start, "127.0.0.1:0", files.folder("node"))) {
                samples.add(Memory.start(), (System.nanoTime() - start) / 1e9);
                node.address();
            }
        }
    }
}
