package org.tamanoir.benchmarks.load;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.load.LoadSink.Count;
import org.tamanoir.benchmarks.load.LoadSink.End;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.qos.edge.Pause;
import org.tamanoir.lab.LabException;

/** Some streams of one packet length with {@code monitoring}: opens them, measures while they run, ends them, and holds sent against received. */
public final class StreamRun {
    /**
     * What was measured, at the sink's side.
     *
     * @param octetsPerSecond      packets with their headers
     * @param cpuSecondsPerGigabyte CPU time of the relay for 1e9 octets; empty for a system without a process
     * @param peakOctets           the relay's resident memory at its highest during the run
     */
    public record Figures(double octetsPerSecond, Optional<Double> cpuSecondsPerGigabyte, Optional<Long> peakOctets) {
    }

    private final LoadSender sender;
    private final LoadSink sink;
    private final InetSocketAddress entry;
    private final Optional<ProcessTree> process;
    private final int packet;
    private final int streams;

    /**
     * Not begun yet.
     *
     * @param entry   where the streams connect
     * @param process whose CPU time and memory are measured, if it is one that is
     */
    public StreamRun(LoadSender sender, LoadSink sink, InetSocketAddress entry, Optional<ProcessTree> process, int packet, int streams) {
        this.sender = sender;
        this.sink = sink;
        this.entry = entry;
        this.process = process;
        this.packet = packet;
        this.streams = streams;
    }

    /** Compares every octet at the sink with the one that was sent. @throws LabException if one differs or is missing */
    public void check(Duration duration) {
        begin(true);
        Pause.of(duration);
        end();
    }

    /** @throws LabException if the streams cannot be opened, break, or bring another number of octets than were sent */
    public Figures measure(Duration warmUp, Duration duration) {
        process.ifPresent(ProcessTree::resetPeak);
        begin(false);
        Pause.of(warmUp);
        Optional<Double> cpuBefore = process.map(ProcessTree::cpuSeconds);
        Count before = sink.count();
        Pause.of(duration);
        Count after = sink.count();
        Optional<Double> cpuAfter = process.map(ProcessTree::cpuSeconds);
        Optional<Long> peak = process.map(ProcessTree::peak);
        end();
        double octets = after.octets() - before.octets();
        if (octets == 0) {
            throw new LabException("nothing arrived");
        }
        return new Figures(octets * 1e9 / (after.nanos() - before.nanos()),
                cpuAfter.map(seconds -> (seconds - cpuBefore.orElseThrow()) * 1e9 / octets), peak);
    }

    private void begin(boolean check) {
        sink.begin(packet, check);
        sender.start(entry, sink.load(), packet, streams);
    }

    private void end() {
        long sent = sender.stop();
        End end = sink.end(streams);
        if (end.octets() != sent || end.differing() > 0 || end.reset() > 0) {
            throw new LabException(ErrorCode.NOT_IDENTICAL + " sent " + sent + " octets, " + end.octets() + " arrived; of "
                    + end.streams() + " streams " + end.differing() + " differ, " + end.reset() + " ended with a reset");
        }
    }
}
