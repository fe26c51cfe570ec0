package org.tamanoir.lab;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Senders of flows to a {@link FlowReceiver}: programs in C that run on a host of a laboratory and end by themselves.
 *
 * <pre>{@code
 * FlowReceiver receiver = FlowReceiver.start(testbed.delivery(1).second());
 * receiver.begin();
 * Flows.Flow flow = Flows.datagrams(testbed.sender(1), receiver, 46, 1470, 20e6, 4);
 * flow.sent();
 * double rate = receiver.report().rate(false, 46, 0.5, 4);
 * }</pre>
 */
public final class Flows {
    private static final Duration MARGIN = Duration.ofSeconds(15);

    private Flows() {
    }

    /**
     * What a sender has done.
     *
     * @param octets  of payload that it gave to its kernel
     * @param seconds that it took
     * @param leftOut datagrams that it did not send because it had not run for more than a tenth of a second
     */
    public record Sent(long octets, double seconds, long leftOut) {
        /** Bits of payload a second. */
        public double rate() {
            return octets * 8 / seconds;
        }
    }

    /** A sender that runs. */
    public static final class Flow {
        private final LabProcess process;
        private final Duration patience;

        private Flow(LabProcess process, double seconds) {
            this.process = process;
            this.patience = Duration.ofMillis((long) (1000 * seconds)).plus(MARGIN);
        }

        /** Waits for its end. @throws LabException if it failed */
        public Sent sent() {
            String[] words = process.awaitLine("sent", patience).split(" ");
            return new Sent(Long.parseLong(words[3]), Long.parseLong(words[5]) / 1e9, Long.parseLong(words[7]));
        }

        /** Ends it now. */
        public void end() {
            process.end();
        }
    }

    /**
     * Round trips in milliseconds.
     *
     * @param came how many answers came; if it is 0 the times are 0
     */
    public record Trips(int came, int lost, double least, double median, double p95, double greatest) {
    }

    /**
     * A command line of the program. It goes before other programs of this machine, since it stands for machines of its own: a sender that does not
     * get to run offers nothing.
     */
    static List<String> command(String... arguments) {
        return Command.append(List.of("nice", "-n", "-10", NativeTool.make("tests/lab", "", "tamanoir-flow").toString()), arguments);
    }

    /**
     * Datagrams at a constant rate.
     *
     * @param codePoint of the packets, 0 to 63
     * @param payload   octets, 16 to 9000
     * @param rate      bits of payload a second
     * @param seconds   0.01 to 900
     */
    public static Flow datagrams(Host from, FlowReceiver to, int codePoint, int payload, double rate, double seconds) {
        return new Flow(start(from, "datagrams", to, FlowReceiver.PORT, codePoint, Integer.toString(payload),
                String.format(Locale.ROOT, "%.0f", rate), text(seconds)), seconds);
    }

    /**
     * A stream that sends all that it can.
     *
     * @param control the congestion control of the kernel: {@code cubic}, {@code reno}, …
     */
    public static Flow stream(Host from, FlowReceiver to, int codePoint, String control, double seconds) {
        return new Flow(start(from, "stream", to, FlowReceiver.PORT, codePoint, control, text(seconds)), seconds);
    }

    /** Sends datagrams of 64 octets which the receiver sends back in the same class, and waits until all is done. */
    public static Trips trips(Host from, FlowReceiver to, int codePoint, int count, double interval) {
        LabProcess process = start(from, "trips", to, FlowReceiver.ECHO_PORT, codePoint, Integer.toString(count), text(interval));
        // Each answer that does not come costs half a second.
        String[] words = process.awaitLine("trips", Duration.ofMillis((long) (count * (500 + 1000 * interval))).plus(MARGIN)).split(" ");
        return new Trips(Integer.parseInt(words[1]), Integer.parseInt(words[3]), millis(words[5]), millis(words[7]), millis(words[9]),
                millis(words[11]));
    }

    private static LabProcess start(Host from, String kind, FlowReceiver to, int port, int codePoint, String... more) {
        List<String> command = command(kind, to.at().ipv4().getHostAddress(), Integer.toString(port), Integer.toString(codePoint));
        return from.start(kind, Command.append(command, more));
    }

    private static double millis(String nanos) {
        return Long.parseLong(nanos) / 1e6;
    }

    private static String text(double seconds) {
        return String.format(Locale.ROOT, "%.4f", seconds);
    }
}
