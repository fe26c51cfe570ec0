package org.tamanoir.dyram.sim;

import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.tamanoir.dyram.wire.Message;

/** One direction of a link: how long a packet takes, which are lost, what has passed. */
public final class OneWayLink {
    private final String name;
    private final SplittableRandom random;
    private long delay;
    private long jitter;
    private double loss;
    private double duplicates;
    private long rate;
    private long queue;
    private long freeAt;
    private Predicate<Message> drop = message -> false;
    private long packets;
    private long octets;
    private long data;
    private long lost;

    OneWayLink(String name, long delay, SplittableRandom random) {
        this.name = name;
        this.delay = delay;
        this.random = random;
    }

    public String name() {
        return name;
    }

    /** Nanoseconds that a packet is under way. */
    public OneWayLink delay(long nanos) {
        delay = nanos;
        return this;
    }

    /** Nanoseconds that a packet is under way, without {@link #jitter}. */
    public long delay() {
        return delay;
    }

    /** Up to so many nanoseconds more, each packet its own: they overtake each other. */
    public OneWayLink jitter(long nanos) {
        jitter = nanos;
        return this;
    }

    /** The part of packets that is lost, 0 to 1. */
    public OneWayLink loss(double part) {
        loss = part;
        return this;
    }

    /** The part of packets that arrives twice, 0 to 1. */
    public OneWayLink duplicates(double part) {
        duplicates = part;
        return this;
    }

    /** Bits a second, and the nanoseconds that may wait before packets are dropped; 0 for no limit. */
    public OneWayLink rate(long bitsPerSecond, long queueNanos) {
        rate = bitsPerSecond;
        queue = queueNanos;
        return this;
    }

    /** Loses the messages that a test names, besides those by chance. */
    public OneWayLink drop(Predicate<Message> which) {
        drop = which;
        return this;
    }

    /**
     * A packet enters.
     *
     * @return when it arrives; -1 if it is lost
     */
    long enter(long now, Message message, int length) {
        packets++;
        octets += length;
        if (message instanceof Message.Data) {
            data++;
        }
        long leaves = now;
        if (rate > 0) {
            if (freeAt - now > queue) {
                lost++;
                return -1;
            }
            freeAt = Math.max(freeAt, now) + (long) (length * 8e9 / rate);
            leaves = freeAt;
        }
        if (loss > 0 && random.nextDouble() < loss || drop.test(message)) {
            lost++;
            return -1;
        }
        return leaves + delay + (jitter > 0 ? random.nextLong(jitter) : 0);
    }

    boolean duplicates() {
        return duplicates > 0 && random.nextDouble() < duplicates;
    }

    /** Packets that entered, lost ones too. */
    public long packets() {
        return packets;
    }

    /** Octets of IP packets that entered. */
    public long octets() {
        return octets;
    }

    /** Packets of content that entered. */
    public long data() {
        return data;
    }

    public long lost() {
        return lost;
    }
}
