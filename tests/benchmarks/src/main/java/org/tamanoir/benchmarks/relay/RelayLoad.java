package org.tamanoir.benchmarks.relay;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.lab.LabException;

/** The two ends of a comparison, and what they find out about a system between them. */
interface RelayLoad {
    /**
     * A running system.
     *
     * @param load      where what is sent goes in
     * @param echo      where what is to be answered goes in
     * @param processes the relay's, two where relays stand in pairs, none where the kernel does it alone
     */
    record RelaySystem(RelayKind kind, InetSocketAddress load, InetSocketAddress echo, List<ProcessTree> processes) {
        @Override
        public String toString() {
            return kind.toString();
        }
    }

    /** Where relays send what comes in: what is sent, and what is to be answered if that has an address of its own. */
    List<InetSocketAddress> destinations();

    /** Which processes run on which CPUs, for people. */
    String placement();

    /** Waits until a relay listens. */
    default void reach(InetSocketAddress entry) {
    }

    /** Compares every octet that arrives with the one that was sent. @throws LabException if one differs or is missing */
    void check(RelaySystem system, int packet);

    /** Measures once. @throws LabException if there is no figure */
    Map<Metric, Double> measure(RelayCase what, RelaySystem system);
}
