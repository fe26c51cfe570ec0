package org.tamanoir.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program that counts what comes, by code point and tenth of a second; it sends datagrams back that come to the port after its own. */
public final class FlowReceiver {
    /** Where it receives. */
    public static final int PORT = 7300;
    /** Where it sends back. */
    public static final int ECHO_PORT = PORT + 1;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * What it has counted.
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
         * @param bins      octets in each tenth of a second, of some four minutes: a longer line of the program is cut
         */
        public record Count(boolean stream, int codePoint, long packets, long octets, long first, long last, long[] bins) {
            private static Count of(String line) {
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
            long octets = counts.stream().filter(each -> each.stream == stream && each.codePoint == codePoint)
                    .mapToLong(each -> Arrays.stream(each.bins, Math.min(first, each.bins.length), Math.min(end, each.bins.length)).sum()).sum();
            return octets * 8 / ((end - first) * BIN);
        }
    }

    private final Port at;
    private final LabProcess process;

    private FlowReceiver(Port at, LabProcess process) {
        this.at = at;
        this.process = process;
        process.awaitLine("READY", PATIENCE);
    }

    /** Starts it at an IPv4 address of a host; it ends with its laboratory. @throws LabException if there is no C compiler */
    public static FlowReceiver start(Port at) {
        return new FlowReceiver(at, at.host().start("receiver", Flows.command("receive", at.ipv4().getHostAddress(), Integer.toString(PORT))));
    }

    Port at() {
        return at;
    }

    /** Counts from 0 again; the times of the next report begin here. */
    public void begin() {
        process.tell("begin");
        process.awaitLine("done", PATIENCE);
    }

    /** What has come since {@link #begin}. */
    public FlowReport report() {
        process.tell("report");
        List<FlowReport.Count> counts = new ArrayList<>();
        for (String line = process.nextLine(PATIENCE); !line.startsWith("end "); line = process.nextLine(PATIENCE)) {
            counts.add(FlowReport.Count.of(line));
        }
        return new FlowReport(counts);
    }
}
