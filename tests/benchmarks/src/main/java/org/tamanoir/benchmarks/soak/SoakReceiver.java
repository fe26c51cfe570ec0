package org.tamanoir.benchmarks.soak;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.benchmarks.process.Starter;

/** The process that takes the streams of a soak. */
public final class SoakReceiver extends LoadProcess {
    private final InetSocketAddress tcp;
    private final int udpPort;

    private SoakReceiver(Starter starter, InetAddress address) {
        super(starter.start("receiver", command(SoakMain.class, "receiver", address.getHostAddress())));
        String[] ready = awaitReady();
        tcp = new InetSocketAddress(address, Integer.parseInt(ready[2]));
        udpPort = Integer.parseInt(ready[3]);
    }

    /** Starts it. @param address where it listens, on free ports */
    public static SoakReceiver start(Starter starter, InetAddress address) {
        return new SoakReceiver(starter, address);
    }

    /** Where it takes TCP streams. */
    public InetSocketAddress tcp() {
        return tcp;
    }

    /** Where it takes datagrams, at the same address. */
    public int udpPort() {
        return udpPort;
    }

    /** Waits until every stream has ended and no datagram comes any more, and reads the books. @param file where they may be written */
    public Received books(Path file) {
        ask("end");
        ask("books %s", file);
        return Books.read(file, Received.class);
    }
}
