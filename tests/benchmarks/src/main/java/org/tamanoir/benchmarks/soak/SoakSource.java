package org.tamanoir.benchmarks.soak;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.benchmarks.process.Starter;

/** The process that sends the streams of a soak. */
public final class SoakSource extends LoadProcess {
    private SoakSource(Starter starter) {
        super(starter.start("source", command(SoakMain.class, "source")));
        awaitReady();
    }

    public static SoakSource start(Starter starter) {
        return new SoakSource(starter);
    }

    /**
     * Opens the streams and sends until {@link #stop}.
     *
     * @param typeId of the service that they go through
     * @param entry  the first node
     */
    public void start(int typeId, InetSocketAddress entry, SoakReceiver receiver, SoakLoad load) {
        ask("start %d %s %d %s %d %d %d %d %d %d", typeId, entry.getAddress().getHostAddress(), entry.getPort(),
                receiver.tcp().getAddress().getHostAddress(), receiver.tcp().getPort(), receiver.udpPort(), load.tcpStreams(),
                load.udpStreams(), load.payload(), load.intervalNanos());
    }

    /** Sets the mark under which delays are kept from now on; 0 keeps none. */
    public void mark(int mark) {
        ask("mark %d", mark);
    }

    /** Streams that are broken so far. */
    public int broken() {
        return Integer.parseInt(ask("broken")[1]);
    }

    /** Ends all streams, cleanly, and reads the books. @param file where they may be written */
    public Sent stop(Path file) {
        ask("stop");
        ask("books %s", file);
        return Books.read(file, Sent.class);
    }
}
