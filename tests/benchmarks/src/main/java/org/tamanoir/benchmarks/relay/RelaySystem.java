package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.benchmarks.process.ProcessTree;

/**
 * A running system under measurement.
 *
 * @param kind      which
 * @param load      where streams for the sink connect
 * @param echo      where streams for the echo connect
 * @param processes the relay's, two where relays stand in pairs, none where the kernel does it alone
 */
record RelaySystem(RelayKind kind, InetSocketAddress load, InetSocketAddress echo, List<ProcessTree> processes) {
    @Override
    public String toString() {
        return kind.toString();
    }
}
