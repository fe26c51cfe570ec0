package org.tamanoir.services.monitoring;

/**
 * What is counted of a flow, or of many flows added up. Plain numbers: one thread writes, and another that reads them for the metrics
 * sees figures that may be a moment old.
 *
 * <p>Histograms have a bucket for each power of two, so that finding the bucket is one instruction: bucket b of {@link #sizes} counts
 * lengths in (2^(b-1), 2^b] octets; bucket b of {@link #gaps} counts times in [2^(b-1), 2^b) nanoseconds, bucket 0 those of 0.
 */
final class FlowCounters {
    /** A packet has 8 to 65,535 octets: buckets 3 to 16. */
    static final int SIZE_BUCKETS = 17;
    /** A time is a positive 63-bit number; bucket 64 is what a clock that ran backwards would give. */
    static final int GAP_BUCKETS = 65;

    final long[] sizes = new long[SIZE_BUCKETS];
    final long[] gaps = new long[GAP_BUCKETS];
    long packets;
    long octets;
    /** Nanoseconds from first to last packet. */
    long nanos;

    /** Packets with a sequence number. */
    long sequenced;
    /** Sequence numbers between the lowest and the highest seen that have not come. */
    long lost;
    long duplicates;
    /** Packets with a sequence number below the next expected one, RFC 4737 section 3.3. */
    long reordered;
    /** The largest distance of a reordered packet behind the highest sequence number. */
    long furthest;
    /** Sequence discontinuities, RFC 4737 section 3.4: times at which one or more numbers were skipped. */
    long discontinuities;
    /** Packets too far behind or ahead to be placed. */
    long strays;
    /** Times at which the source began to count anew. */
    long restarts;

    static int sizeBucket(int length) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
    }

    static int gapBucket(long nanos) {
        return Long.SIZE - Long.numberOfLeadingZeros(nanos);
    }

    void add(FlowCounters other) {
        add(sizes, other.sizes);
        add(gaps, other.gaps);
        packets += other.packets;
        octets += other.octets;
        nanos += other.nanos;
        sequenced += other.sequenced;
        lost += other.lost;
        duplicates += other.duplicates;
        reordered += other.reordered;
        furthest = Math.max(furthest, other.furthest);
        discontinuities += other.discontinuities;
        strays += other.strays;
        restarts += other.restarts;
    }

    private static void add(long[] sum, long[] counts) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += counts[i];
        }
    }
}
