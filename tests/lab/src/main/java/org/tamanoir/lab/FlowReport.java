package org.tamanoir.lab;

import java.util.Arrays;
import java.util.List;

/**
 * What a {@link FlowReceiver} has counted.
 *
 * @param counts one for each code point of datagrams, one for each of streams
 */
public record FlowReport(List<Count> counts) {
    /** A bin in seconds. */
    public static final double BIN = 0.1;

    /**
     * What has come with a code point; octets are those of payload.
     *
     * @param stream    whether on TCP; there the packets are reads of the receiver
     * @param codePoint 0 to 63; of a stream what its sender says of it
     * @param first     nanoseconds from the beginning to the first octet
     * @param last      and to the last
     * @param bins      octets in each tenth of a second
     */
    public record Count(boolean stream, int codePoint, long packets, long octets, long first, long last, long[] bins) {
        static Count of(String line) {
            String[] words = line.split(" ");
            return new Count(words[0].equals("tcp"), Integer.parseInt(words[1]), Long.parseLong(words[3]), Long.parseLong(words[5]),
                    Long.parseLong(words[7]), Long.parseLong(words[9]), Arrays.stream(words[11].split(",")).mapToLong(Long::parseLong).toArray());
        }
    }

    /**
     * Bits of payload a second between two times, in whole tenths of a second.
     *
     * @param from seconds from the beginning
     * @param to   after it
     */
    public double rate(boolean stream, int codePoint, double from, double to) {
        int first = (int) Math.round(from / BIN);
        int end = (int) Math.round(to / BIN);
        long octets = 0;
        for (Count each : counts) {
            if (each.stream == stream && each.codePoint == codePoint) {
                octets += Arrays.stream(each.bins, Math.min(first, each.bins.length), Math.min(end, each.bins.length)).sum();
            }
        }
        return octets * 8 / ((end - first) * BIN);
    }
}
