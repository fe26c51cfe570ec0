package org.tamanoir.services.qosenforcement;

import java.math.BigInteger;
import java.time.Duration;
import org.tamanoir.anep.Anep;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Traffic;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.services.qosenforcement.Enforcement.EnforcementSettings;

/**
 * What a flow may send in its class, as a token bucket (RFC 2697) or two (RFC 2698).
 *
 * @param className its class
 * @param rate      octets a second
 * @param bucket    octets; holds the largest packet
 * @param excess    octets of the second bucket where there is no peak; 0 in a class without drop precedence, which has no other colour for it
 * @param peak      octets a second that are never passed, or 0
 * @param peakBurst octets that may come at once all the same
 * @param least     smaller packets count as so many octets
 * @param largest   octets of the largest packet; on TCP, larger ones count as so many: they wait, and must not wait for ever
 */
record Profile(String className, long rate, long bucket, long excess, long peak, long peakBurst, int least,
        int largest) {
    private static final long ETHERNET = 1500;
    private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000);

    static Profile of(Order order, EnforcementSettings settings) {
        Traffic traffic = order.level().traffic();
        long rate = Math.max(0, Math.min(order.rate(), Meter.MOST_RATE));
        long peak = traffic == null ? 0 : Math.max(0, Math.min(traffic.peak(), Meter.MOST_RATE));
        long largest = order.transport() == Transport.TCP ? Anep.MAX_PACKET : traffic == null || traffic.mtu() <= 0 ? ETHERNET : traffic.mtu();
        long said = traffic == null || traffic.bucket() <= 0 ? octets(rate, settings.burst()) : traffic.bucket();
        long bucket = burst(said, largest);
        boolean precedence = order.qosClass().yellow() != order.qosClass().green();
        long excess = precedence && peak == 0 ? burst(bucket / 100.0 * settings.excessBurst()) : 0;
        return new Profile(order.qosClass().name(), rate, bucket, excess, peak, burst(largest + octets(peak, settings.peakBurst()), largest),
                traffic == null ? 0 : (int) Math.max(0, Math.min(traffic.least(), largest)), (int) Math.min(largest, Integer.MAX_VALUE));
    }

    /** Octets that a rate makes in a time. */
    static long octets(long rate, Duration time) {
        return BigInteger.valueOf(rate).multiply(BigInteger.valueOf(time.toNanos())).divide(NANOS).min(BigInteger.valueOf(Meter.MOST_BURST)).longValue();
    }

    private static long burst(long octets, long least) {
        return Math.min(Meter.MOST_BURST, Math.max(octets, least));
    }

    private static long burst(double octets) {
        return (long) Math.min(Meter.MOST_BURST, octets);
    }

    boolean hasPeak() {
        return peak > 0;
    }

    /** Octets that a packet counts as. */
    int counted(int octets, Transport transport) {
        int size = Math.max(octets, least);
        return transport == Transport.TCP ? Math.min(size, largest) : size;
    }

    /** The meter of a rate, 1 or more, not over the peak. */
    Meter meter(long octetsPerSecond) {
        return hasPeak() ? Meter.twoRate(Math.min(octetsPerSecond, peak), bucket, peak, peakBurst) : Meter.singleRate(octetsPerSecond, bucket, excess);
    }
}
