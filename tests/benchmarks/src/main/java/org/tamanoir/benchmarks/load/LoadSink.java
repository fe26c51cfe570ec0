package org.tamanoir.benchmarks.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** The process that takes streams and counts them, and that answers round trips. */
public final class LoadSink extends LoadProcess {
    /** Octets that had come at an instant of the sink's own clock. */
    public record Count(long octets, long nanos) {
    }

    private final InetSocketAddress load;
    private final InetSocketAddress echo;

    private LoadSink(LabProcess process, InetAddress address) {
        super(process);
        String[] ready = awaitReady();
        load = new InetSocketAddress(address, Integer.parseInt(ready[2]));
        echo = new InetSocketAddress(address, Integer.parseInt(ready[3]));
    }

    /**
     * Starts it.
     *
     * @param starter runs a command line where the sink belongs
     */
    public static LoadSink start(Function<List<String>, LabProcess> starter, InetAddress address) {
        return new LoadSink(starter.apply(command(LoadMain.class, "sink", address.getHostAddress())), address);
    }

    /** Where it takes streams. */
    public InetSocketAddress load() {
        return load;
    }

    /** Where it answers packets. */
    public InetSocketAddress echo() {
        return echo;
    }

    /** Starts to count anew. @param check whether to compare every octet with what is sent */
    public void begin(StreamKind kind, int packet, boolean check) {
        ask("begin %d %s %s", packet, check ? "check" : "count", kind);
    }

    public Count count() {
        String[] words = ask("count");
        return new Count(Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /**
     * Waits until a number of streams has ended.
     *
     * @param sent octets of all streams, without the headers of their first packets
     * @throws LabException if others have come, or a stream ended with a reset
     */
    public void end(int streams, long sent) {
        String[] words = ask("end %d", streams);
        if (Long.parseLong(words[1]) != sent || !words[3].equals("0") || !words[4].equals("0")) {
            throw new LabException(ErrorCode.NOT_IDENTICAL + " sent " + sent + " octets, " + words[1] + " arrived; of " + words[2]
                    + " streams " + words[3] + " differ, " + words[4] + " ended with a reset");
        }
    }
}
