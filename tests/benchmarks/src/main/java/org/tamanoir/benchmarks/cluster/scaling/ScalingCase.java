package org.tamanoir.benchmarks.cluster.scaling;

import java.util.List;
import org.tamanoir.benchmarks.load.StreamKind;

/**
 * One curve of figure 10.
 *
 * @param name    of it
 * @param kind    of its streams
 * @param packet  octets, header included
 * @param cap     parts of a processor that each back end may use. So little that three of them, the director, both ends and whatever else runs leave two
 *                processors time to spare; for monitoring less, because the director in user-mode Linux has to keep up
 * @param far     whether a node behind the back ends restores what they compress
 * @param of2003  Mbit/s of three back ends in figure 10
 */
record ScalingCase(String name, StreamKind kind, int packet, double cap, boolean far, int of2003) {
    static final List<ScalingCase> ALL = List.of(new ScalingCase("monitoring", StreamKind.MONITORING, 4096, 0.1, false, 1050),
            new ScalingCase("monitoring", StreamKind.MONITORING, 32768, 0.1, false, 1400),
            new ScalingCase("gzip", StreamKind.COMPRESSION, 32768, 0.2, true, 200));

    @Override
    public String toString() {
        return name + ", packets of " + packet / 1024 + " KB";
    }
}
