package org.tamanoir.services.qosenforcement;

import java.time.Duration;
import org.tamanoir.anep.Anep;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.TokenBucket;

/**
 * A class: what is allocated in it, and a bucket that is filled by the rest. Only what is not any session's own is taken from the bucket, so that
 * everything together is within the capacity. Safe for all threads.
 */
final class ClassShare {
    private final String name;
    private final Duration burst;
    private final ClassCounters counters = new ClassCounters();
    private final TokenBucket spare;
    private long capacity;
    private long allocated;
    private long last;

    ClassShare(QosClass qosClass, Duration burst, long nanos) {
        this.name = qosClass.name();
        this.burst = burst;
        this.capacity = Math.max(0, qosClass.capacity());
        this.spare = new TokenBucket(free(), depth());
        this.last = nanos;
    }

    private long free() {
        return Math.min(Meter.MOST_RATE, Math.max(0, capacity - allocated));
    }

    private long depth() {
        return capacity == 0 ? 0 : Math.max(Anep.MAX_PACKET + 1, Profile.octets(Math.min(capacity, Meter.MOST_RATE), burst));
    }

    String name() {
        return name;
    }

    ClassCounters counters() {
        return counters;
    }

    synchronized long capacity() {
        return capacity;
    }

    synchronized long allocated() {
        return allocated;
    }

    /** It has been provisioned anew. */
    synchronized void provision(long octetsPerSecond, long nanos) {
        if (octetsPerSecond != capacity) {
            fill(nanos);
            capacity = Math.max(0, octetsPerSecond);
            spare.set(free(), depth());
        }
    }

    /** Whether a share can be made larger, by what is left. */
    synchronized boolean hasRoom(long before, long after) {
        return after <= capacity - (allocated - before);
    }

    /** Allocates more, or less. */
    synchronized void allocate(long more, long nanos) {
        if (more != 0) {
            fill(nanos);
            allocated += more;
            spare.set(free(), depth());
        }
    }

    /** Takes tokens of what is not allocated; false, and nothing is taken, if there are not enough. */
    synchronized boolean take(int octets, long nanos) {
        fill(nanos);
        return spare.take(octets);
    }

    /** When so much of what is not allocated is there; {@link Long#MAX_VALUE} for never. */
    synchronized long readyAt(int octets, long nanos) {
        fill(nanos);
        long wait = spare.untilHolds(octets);
        return wait == 0 ? nanos : wait == Long.MAX_VALUE ? wait : last + wait;
    }

    private void fill(long nanos) {
        long elapsed = nanos - last;
        if (elapsed > 0) {
            last = nanos;
            spare.fill(elapsed);
        }
    }
}
