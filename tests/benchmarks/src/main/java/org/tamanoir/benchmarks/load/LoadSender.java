package org.tamanoir.benchmarks.load;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.tamanoir.lab.LabProcess;

/** The process that sends streams and measures round trips. */
public final class LoadSender extends LoadProcess {
    /** Round trips: how many, and nanoseconds of the 50th and 99th percentile. */
    public record Trips(long count, long p50, long p99) {
    }

    private LoadSender(LabProcess process) {
        super(process);
        awaitReady();
    }

    /** Starts it. @param starter runs a command line where the sender belongs */
    public static LoadSender start(Function<List<String>, LabProcess> starter) {
        return new LoadSender(starter.apply(command(LoadMain.class, "sender")));
    }

    /** Waits until somebody listens at an address. */
    public void reach(InetSocketAddress address) {
        ask("reach %s", text(address));
    }

    /**
     * Opens streams and sends as fast as they are taken.
     *
     * @param entry       where to connect: the relay, or the destination itself
     * @param destination where the streams are to be delivered, as their first packets say
     * @param packet      octets of every packet, header included
     */
    public void start(InetSocketAddress entry, InetSocketAddress destination, StreamKind kind, int packet, int streams) {
        ask("start %s %s %d %d %s", text(entry), text(destination), packet, streams, kind);
    }

    /** Ends the streams. @return octets sent on all of them, without the headers of their first packets */
    public long stop() {
        return Long.parseLong(ask("stop")[1]);
    }

    /** Round trips of 64 octets, one after another on one stream. */
    public Trips ping(InetSocketAddress entry, InetSocketAddress destination, Duration warmUp, Duration duration) {
        String[] words = ask("ping %s %s %d %d", text(entry), text(destination), warmUp.toMillis(), duration.toMillis());
        return new Trips(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " " + address.getPort();
    }
}
