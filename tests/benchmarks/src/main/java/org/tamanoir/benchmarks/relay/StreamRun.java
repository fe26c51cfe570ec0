package org.tamanoir.benchmarks.relay;

import java.time.Duration;
import java.util.Optional;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.load.LoadSink.Count;
import org.tamanoir.benchmarks.load.LoadSink.End;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.LabException;

/** Some streams of one packet length through one system: opens them, measures while they run, ends them, and holds sent against received. */
final class StreamRun {
    /**
     * What was measured, at the sink's side.
     *
     * @param octetsPerSecond      packets with their headers
     * @param cpuSecondsPerGigabyte CPU time of the relay for 1e9 octets; empty for a system without a process
     * @param peakOctets           the relay's resident memory at its highest during the run
     */
    record Figures(double octetsPerSecond, Optional<Double> cpuSecondsPerGigabyte, Optional<Long> peakOctets) {
    }

    private final RelayTestbed testbed;
    private final RelaySystem system;
    private final int packet;
    private final int streams;

    StreamRun(RelayTestbed testbed, RelaySystem system, int packet, int streams) {
        this.testbed = testbed;
        this.system = system;
        this.packet = packet;
        this.streams = streams;
    }

    /** Compares every octet at the sink with the one that was sent. @throws LabException if one differs or is missing */
    void check(Duration duration) {
        begin(true);
        sleep(duration);
        end();
    }

    /** @throws LabException if the streams cannot be opened, break, or bring another number of octets than were sent */
    Figures measure(Duration warmUp, Duration duration) {
        system.process().ifPresent(ProcessTree::resetPeak);
        begin(false);
        sleep(warmUp);
        Optional<Double> cpuBefore = system.process().map(ProcessTree::cpuSeconds);
        Count before = testbed.sink().count();
        sleep(duration);
        Count after = testbed.sink().count();
        Optional<Double> cpuAfter = system.process().map(ProcessTree::cpuSeconds);
        Optional<Long> peak = system.process().map(ProcessTree::peak);
        end();
        double octets = after.octets() - before.octets();
        if (octets == 0) {
            throw new LabException("nothing arrived");
        }
        return new Figures(octets * 1e9 / (after.nanos() - before.nanos()),
                cpuAfter.map(seconds -> (seconds - cpuBefore.orElseThrow()) * 1e9 / octets), peak);
    }

    private void begin(boolean check) {
        LoadSink sink = testbed.sink();
        sink.begin(packet, check);
        testbed.sender().start(system.load(), sink.load(), packet, streams);
    }

    private void end() {
        long sent = testbed.sender().stop();
        End end = testbed.sink().end(streams);
        if (end.octets() != sent || end.differing() > 0 || end.reset() > 0) {
            throw new LabException(ErrorCode.NOT_IDENTICAL + " sent " + sent + " octets, " + end.octets() + " arrived; of "
                    + end.streams() + " streams " + end.differing() + " differ, " + end.reset() + " ended with a reset");
        }
    }

    private static void sleep(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        }
    }
}
