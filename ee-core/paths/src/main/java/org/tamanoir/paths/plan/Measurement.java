package org.tamanoir.paths.plan;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One way of measuring.
 *
 * @param kind     what
 * @param probes   packets of one run, 1 to 100,000; of {@link Kind#THROUGHPUT} none
 * @param interval between two probes, 1 ms to 1 min
 * @param octets   payload of a probe, 0 to 9,000
 * @param length   how long data flow, 1 s to 10 min; of {@link Kind#THROUGHPUT} alone. One of two seconds measures slow start
 * @param streams  TCP connections at once, 1 to 64
 */
public record Measurement(Kind kind, int probes, Duration interval, int octets, Duration length, int streams) {
    public static final int MOST_PROBES = 100_000;
    public static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int MOST_OCTETS = 9000;
    private static final int MOST_STREAMS = 64;
    /** Of a run beyond its probes or its flow: connections, answers that are waited for. */
    private static final Duration AROUND = Duration.ofSeconds(2);

    /** What can be measured. */
    public enum Kind {
        /** RFC 2681. */
        ROUND_TRIP("round-trip"),
        /** RFC 7679: there only, with the error of both clocks. Loss and jitter are in it. */
        ONE_WAY("one-way"),
        /** RFC 7680, and its pattern by RFC 3357. */
        LOSS("loss"),
        /** The difference of delays, RFC 3393: clocks need not agree. */
        JITTER("jitter"),
        /** What TCP carries from memory to memory. It fills the path, so it is booked. */
        THROUGHPUT("throughput");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** As in a plan. */
        public String text() {
            return text;
        }

        /** Whether it disturbs others, and others it. */
        public boolean isExpensive() {
            return this == THROUGHPUT;
        }
    }

    /** @throws AnepException EE-780 that names what is out of its range */
    public Measurement {
        within("probes", probes, kind.isExpensive() ? 0 : 1, MOST_PROBES);
        within("octets", octets, 0, MOST_OCTETS);
        within("streams", streams, 1, MOST_STREAMS);
        if (kind.isExpensive() ? length.compareTo(Duration.ofSeconds(1)) < 0 || length.compareTo(LONGEST) > 0
                : interval.compareTo(Duration.ofMillis(1)) < 0 || interval.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new AnepException(ErrorCode.BAD_PLAN, kind.isExpensive() ? "length: " + length + " is not from 1 s to 10 min" : "interval: " + interval + " is not from 1 ms to 1 min");
        }
    }

    /** By probes. */
    public static Measurement ofProbes(Kind kind, int probes, Duration interval, int octets) {
        return new Measurement(kind, probes, interval, octets, Duration.ZERO, 1);
    }

    /** By TCP connections that carry what they can. */
    public static Measurement ofThroughput(Duration length, int streams) {
        return new Measurement(Kind.THROUGHPUT, 0, Duration.ZERO, 0, length, streams);
    }

    /** For how long a run has its hosts. */
    public Duration duration() {
        return (kind.isExpensive() ? length : interval.multipliedBy(probes)).plus(AROUND);
    }

    private static void within(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new AnepException(ErrorCode.BAD_PLAN, what + ": " + value + " is not from " + least + " to " + most);
        }
    }
}
