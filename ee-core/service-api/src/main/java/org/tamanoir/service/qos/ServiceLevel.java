package org.tamanoir.service.qos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.rule.Prefix;

/**
 * The Open Service Level Specification of a flow: what it is, what it needs, what it will send. It has been validated.
 *
 * @param flow        which packets
 * @param ingress     name or id of the node where the flow enters; null for any
 * @param egress      names or ids of nodes where it may leave; empty for any
 * @param customer    who asks; null if that was not said
 * @param objectives  what it needs
 * @param traffic     what it will send; null if that was not said
 * @param excess      what happens to what is over the profile
 * @param start       from when; null for now
 * @param stop        until when; null for until it is released or idle
 * @param reliability stored and reported, nothing more; null if nothing was said
 * @param bothWays    whether it holds for what comes back on the stream too, each direction by itself; streams over TCP only
 */
public record ServiceLevel(Flow flow, String ingress, List<String> egress, String customer, Objectives objectives, Traffic traffic,
        Excess excess, Instant start, Instant stop, Reliability reliability, boolean bothWays) {
    public ServiceLevel {
        egress = List.copyOf(egress);
    }

    /** One for the way there alone. */
    public ServiceLevel(Flow flow, String ingress, List<String> egress, String customer, Objectives objectives, Traffic traffic, Excess excess, Instant start,
            Instant stop, Reliability reliability) {
        this(flow, ingress, egress, customer, objectives, traffic, excess, start, stop, reliability, false);
    }

    /** The same for other packets. */
    public ServiceLevel with(Flow other) {
        return new ServiceLevel(other, ingress, egress, customer, objectives, traffic, excess, start, stop, reliability, bothWays);
    }

    /** The same flow with other needs. */
    public ServiceLevel with(Objectives other) {
        return new ServiceLevel(flow, ingress, egress, customer, other, traffic, excess, start, stop, reliability, bothWays);
    }

    /**
     * Which packets a session is for. What is null or 0 is anything.
     *
     * @param transport       TCP or UDP
     * @param source          prefix of the source
     * @param destination     prefix of the destination
     * @param sourcePort      1 to 65,535, or 0
     * @param destinationPort 1 to 65,535, or 0
     * @param stream          ANEP stream id, or 0
     */
    public record Flow(Transport transport, Prefix source, Prefix destination, int sourcePort, int destinationPort, long stream) {
    }

    /**
     * What was said of reliability.
     *
     * @param meanDowntime minutes a year
     * @param timeToRepair seconds
     */
    public record Reliability(double meanDowntime, double timeToRepair) {
    }

    /** What is asked of one metric: a limit, a word, or a weight beside other metrics. */
    public sealed interface Goal {
        /** A value that must be kept: milliseconds, per cent, or megabits a second. */
        record Limit(double value) implements Goal {
        }

        /** A word; what it means is the decision's to say. */
        record Wish(Level level) implements Goal {
        }

        /** How much the metric counts beside the others, over 0 to 1. The weights of a service level add up to 1. */
        record Weight(double weight) implements Goal {
        }

        /** Words for a metric: how much of it. {@code delay=low} asks for little delay, {@code rate=high} for much throughput. */
        enum Level {
            LOW, MEDIUM, HIGH
        }
    }

    /**
     * What a flow needs, end to end; null where nothing is asked.
     *
     * @param delay    round trip or one way, whichever is measured; milliseconds
     * @param jitter   milliseconds
     * @param loss     per cent of packets
     * @param rate     throughput; megabits a second
     * @param stability how much the rate may vary: the coefficient of variation of the rates of one second, per cent; of words, {@code HIGH} lets it
     *                 vary least
     * @param transfer what has to be there in time: the rate that this needs stands in for {@code rate}, which is null then
     */
    public record Objectives(Goal delay, Goal jitter, Goal loss, Goal rate, Goal stability, Transfer transfer) {
        public static final Objectives NONE = new Objectives(null, null, null, null);

        /** Without stability, and without anything that has to be there in time. */
        public Objectives(Goal delay, Goal jitter, Goal loss, Goal rate) {
            this(delay, jitter, loss, rate, null, null);
        }

        /** The same with another rate, and nothing that has to be there in time. */
        public Objectives withRate(Goal other) {
            return new Objectives(delay, jitter, loss, other, stability, null);
        }

        /** Whether nothing is asked. */
        public boolean isEmpty() {
            return delay == null && jitter == null && loss == null && rate == null && stability == null && transfer == null;
        }
    }

    /**
     * So many octets, in such a time: "the bounded delivery time of a file transfer" (active grid paper, section 4.1). One of {@code within} and
     * {@code by} is null.
     *
     * @param size   octets of payload, 1 or more
     * @param within from the first packet that a node sees of the flow, 1 s or more
     * @param by     a moment
     */
    public record Transfer(long size, Duration within, Instant by) {
    }

    /** What happens to packets over the profile. Streams over TCP are always slowed down and never cut: their source is made to wait. */
    public sealed interface Excess {
        /** They go no further. */
        record Drop() implements Excess {
        }

        /**
         * They go on in another class.
         *
         * @param className its name
         */
        record Remark(String className) implements Excess {
        }

        /**
         * They wait until they conform, and go no further if that would take longer.
         *
         * @param most how long a packet may wait
         */
        record Shape(Duration most) implements Excess {
        }
    }

    /**
     * What a flow will send (RFC 2475 section 2.3.3.1; the token bucket of RFC 2697).
     *
     * @param rate   octets of IP packets a second
     * @param bucket octets that may come at once
     * @param peak   octets a second that are never passed, or 0 for no such bound
     * @param mtu    octets of the largest packet
     * @param least  smaller packets count as so many octets; 0 for as many as they have
     */
    public record Traffic(long rate, long bucket, long peak, int mtu, int least) {
    }
}
