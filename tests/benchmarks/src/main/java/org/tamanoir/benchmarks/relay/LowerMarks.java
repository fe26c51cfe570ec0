package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/** What somebody has in an hour instead of a node: the few lines of a relay that Netty's own examples have, and {@code socat}. */
final class LowerMarks {
    private static final int SOCAT_SECONDS_OF_SILENCE = 60;

    private LowerMarks() {
    }

    /** @param transport {@code tcp} or {@code udp} */
    static LabProcess netty(Host host, String transport, InetSocketAddress... listenAndTo) {
        String[] arguments = new String[listenAndTo.length + 1];
        arguments[0] = transport;
        for (int i = 0; i < listenAndTo.length; i++) {
            arguments[i + 1] = text(listenAndTo[i]);
        }
        LabProcess process = host.start("netty", LoadProcess.command(NettyRelay.class, arguments));
        process.awaitLine("READY", NettyRelay.PATIENCE);
        return process;
    }

    /** With its own block of 8,192 octets. @param transport {@code tcp} or {@code udp} */
    static LabProcess socat(Host host, String transport, InetSocketAddress listen, InetSocketAddress to) {
        String name = transport.toUpperCase(java.util.Locale.ROOT);
        return host.start("socat", List.of("socat", "-T", Integer.toString(SOCAT_SECONDS_OF_SILENCE),
                name + "4-LISTEN:" + listen.getPort() + ",bind=" + listen.getAddress().getHostAddress() + ",reuseaddr,fork" + (name.equals("TCP") ? ",backlog=600" : ""),
                name + "4:" + text(to)));
    }

    /** A process for each way in; the one for the load is given back, and the figures of CPU and memory are of it. */
    static LabProcess socat(Station.Ways ways, Path folder) {
        socat(ways.station().host(), "tcp", ways.echo(), ways.toEcho());
        return socat(ways.station().host(), "tcp", ways.load(), ways.toLoad());
    }

    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
