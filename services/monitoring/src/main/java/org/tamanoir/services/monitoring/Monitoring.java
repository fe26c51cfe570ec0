package org.tamanoir.services.monitoring;

import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.Metrics.Histogram;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;

/** Measures every stream that passes, changes nothing. Type ID 0x5402. */
@Component(service = ActiveService.class)
public final class Monitoring implements ActiveService {
    /** Bounds of the metrics' size histogram: 2^6 to 2^15 octets; one more bucket takes the rest. */
    private static final int FIRST_SIZE = 6;
    private static final int LAST_SIZE = 15;
    /** Bounds of the metrics' inter-arrival histogram: each second power of two from 2^10 (1 µs) to 2^34 ns (17 s). */
    private static final int FIRST_GAP = 10;
    private static final int LAST_GAP = 34;
    private static final int GAP_STEP = 2;

    private final Totals totals = new Totals();
    private final LongSupplier clock;

    @Activate
    public Monitoring() {
        this(System::nanoTime);
    }

    /** @param clock the clock of the packets' receive times */
    Monitoring(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public void start(ServiceContext service) {
        Metrics metrics = service.metrics();
        metrics.gauge("streams", "Streams that are open.", totals::streams);
        metrics.counter("packets", "Packets toward the destination.", () -> totals.sums().toDestination().packets);
        metrics.counter("bytes", "Octets toward the destination, headers included.", () -> totals.sums().toDestination().octets);
        metrics.counter("return_packets", "Packets toward the source.", () -> totals.sums().toSource().packets);
        metrics.counter("return_bytes", "Octets toward the source, headers included.", () -> totals.sums().toSource().octets);
        metrics.gauge("lost_packets", "Sequence numbers that have not come; falls when one comes late.",
                () -> totals.sums().both(flow -> flow.lost));
        metrics.counter("duplicate_packets", "Sequence numbers that came again.", () -> totals.sums().both(flow -> flow.duplicates));
        metrics.counter("reordered_packets", "Packets behind the next expected sequence number, RFC 4737.",
                () -> totals.sums().both(flow -> flow.reordered));
        metrics.counter("stray_packets", "Sequence numbers too far off to be placed.", () -> totals.sums().both(flow -> flow.strays));
        metrics.histogram("packet_size_bytes", "Octets of a packet, both directions.",
                IntStream.rangeClosed(FIRST_SIZE, LAST_SIZE).mapToDouble(power -> 1L << power).toArray(), this::sizes);
        metrics.histogram("inter_arrival_seconds", "Time between two packets of a stream, both directions; packets of one read share a time.",
                IntStream.iterate(FIRST_GAP, power -> power <= LAST_GAP, power -> power + GAP_STEP)
                        .mapToDouble(power -> (1L << power) / 1e9).toArray(), this::gaps);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        MonitoredStream handler = new MonitoredStream(totals, clock);
        totals.begin(handler);
        return handler;
    }

    private Histogram sizes() {
        Totals.Sums sums = totals.sums();
        long[] counts = new long[LAST_SIZE - FIRST_SIZE + 2];
        Arrays.setAll(counts, i -> {
            int from = i == 0 ? 0 : FIRST_SIZE + i;
            int to = i == counts.length - 1 ? FlowCounters.SIZE_BUCKETS - 1 : FIRST_SIZE + i;
            return sums.both(flow -> sum(flow.sizes, from, to));
        });
        return new Histogram(counts, sums.both(flow -> flow.octets));
    }

    private Histogram gaps() {
        Totals.Sums sums = totals.sums();
        long[] counts = new long[(LAST_GAP - FIRST_GAP) / GAP_STEP + 2];
        Arrays.setAll(counts, i -> {
            int from = i == 0 ? 0 : FIRST_GAP + GAP_STEP * (i - 1) + 1;
            int to = i == counts.length - 1 ? FlowCounters.GAP_BUCKETS - 1 : FIRST_GAP + GAP_STEP * i;
            return sums.both(flow -> sum(flow.gaps, from, to));
        });
        return new Histogram(counts, sums.both(flow -> flow.nanos) / 1e9);
    }

    private static long sum(long[] counts, int from, int to) {
        long sum = 0;
        for (int i = from; i <= to; i++) {
            sum += counts[i];
        }
        return sum;
    }
}
