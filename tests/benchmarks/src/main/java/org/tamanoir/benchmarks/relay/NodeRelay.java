package org.tamanoir.benchmarks.relay;

import java.util.Optional;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;

/** One active node, as a user starts it, with a repository beside it from which the first stream makes it fetch {@code monitoring}. */
final class NodeRelay {
    private NodeRelay() {
    }

    /** Starts both; they end with the testbed. */
    static RelaySystem start(RelayTestbed testbed) {
        Starter starter = testbed.node()::start;
        RepositoryProcess repository = RepositoryProcess.start(starter, testbed.folder("repository"));
        repository.push("monitoring");
        NodeProcess node = NodeProcess.start(starter, testbed.nodeAddress().getHostAddress() + ":" + Anep.PORT_DATA,
                testbed.folder("node"), "--repository", repository.url(), "--route", testbed.serverSubnet() + "=direct");
        testbed.sender().reach(node.address());
        return new RelaySystem(RelayKind.TAMANOIR, node.address(), node.address(), Optional.of(node.tree()));
    }
}
