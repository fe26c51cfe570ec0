package org.tamanoir.benchmarks.load;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tamanoir.benchmarks.load.LoadSink.Count;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.LabException;

/**
 * Some streams of one packet length: opens them, measures while they run, ends them, and holds sent against received.
 *
 * @param entry  where the streams connect
 * @param kind   what they ask for; {@code monitoring} if it is not said
 * @param relays whose CPU time and memory are measured; none where the kernel does it alone
 */
public record StreamRun(LoadSender sender, LoadSink sink, StreamKind kind, InetSocketAddress entry, List<ProcessTree> relays, int packet, int streams) {
    public StreamRun(LoadSender sender, LoadSink sink, InetSocketAddress entry, List<ProcessTree> relays, int packet, int streams) {
        this(sender, sink, StreamKind.MONITORING, entry, relays, packet, streams);
    }

    /**
     * What was measured, at the sink's side.
     *
     * @param octetsPerSecond       packets with their headers
     * @param cpuSecondsPerGigabyte CPU time of the relays for 1e9 octets; empty for a system without a process
     * @param peakOctets            the relays' resident memory at its highest during the run
     */
    public record Figures(double octetsPerSecond, Optional<Double> cpuSecondsPerGigabyte, Optional<Long> peakOctets) {
    }

    /** Compares every octet at the sink with the one that was sent. @throws LabException if one differs or is missing */
    public void check(Duration duration) {
        begin(true);
        Pause.of(duration);
        end();
    }

    /** @throws LabException if the streams cannot be opened, break, or bring another number of octets than were sent */
    public Figures measure(Duration warmUp, Duration duration) {
        relays.forEach(ProcessTree::resetPeak);
        begin(false);
        Pause.of(warmUp);
        double cpuBefore = cpu();
        Count before = sink.count();
        Pause.of(duration);
        Count after = sink.count();
        double cpuAfter = cpu();
        long peak = relays.stream().mapToLong(ProcessTree::peak).sum();
        end();
        double octets = after.octets() - before.octets();
        if (octets == 0) {
            throw new LabException("nothing arrived");
        }
        double rate = octets * 1e9 / (after.nanos() - before.nanos());
        return relays.isEmpty() ? new Figures(rate, Optional.empty(), Optional.empty())
                : new Figures(rate, Optional.of((cpuAfter - cpuBefore) * 1e9 / octets), Optional.of(peak));
    }

    private double cpu() {
        return relays.stream().mapToDouble(ProcessTree::cpuSeconds).sum();
    }

    private void begin(boolean check) {
        sink.begin(kind, packet, check);
        sender.start(entry, sink.load(), kind, packet, streams);
    }

    private void end() {
        sink.end(streams, sender.stop());
    }
}
