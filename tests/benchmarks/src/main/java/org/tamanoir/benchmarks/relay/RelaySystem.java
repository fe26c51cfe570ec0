package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.tamanoir.benchmarks.process.ProcessTree;

/**
 * A running system under measurement.
 *
 * @param kind    which
 * @param load    where streams for the sink connect
 * @param echo    where streams for the echo connect
 * @param process the relay's process, or empty where the kernel does it alone
 */
record RelaySystem(RelayKind kind, InetSocketAddress load, InetSocketAddress echo, Optional<ProcessTree> process) {
    @Override
    public String toString() {
        return kind.toString();
    }
}
