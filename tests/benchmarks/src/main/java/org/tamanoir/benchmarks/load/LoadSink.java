package org.tamanoir.benchmarks.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import org.tamanoir.lab.LabProcess;

/** The process that takes streams and counts them, and that answers round trips. */
public final class LoadSink extends LoadProcess {
    /** Octets that had come at an instant of the sink's own clock. */
    public record Count(long octets, long nanos) {
    }

    /**
     * What had come when every stream had ended.
     *
     * @param octets    of all streams, without the headers of their first packets
     * @param streams   that have ended
     * @param differing streams of which an octet was not the one sent (0 where that was not looked at)
     * @param reset     streams that ended with a reset
     */
    public record End(long octets, int streams, int differing, int reset) {
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
    public void begin(int packet, boolean check) {
        begin(StreamKind.MONITORING, packet, check);
    }

    /** The same for streams of another kind. */
    public void begin(StreamKind kind, int packet, boolean check) {
        ask("begin %d %s %s", packet, check ? "check" : "count", kind);
    }

    public Count count() {
        String[] words = ask("count");
        return new Count(Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** Waits until a number of streams has ended. */
    public End end(int streams) {
        String[] words = ask("end %d", streams);
        return new End(Long.parseLong(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]),
                Integer.parseInt(words[4]));
    }
}
