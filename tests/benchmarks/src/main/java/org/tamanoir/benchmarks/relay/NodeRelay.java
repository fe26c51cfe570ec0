package org.tamanoir.benchmarks.relay;

import java.util.Optional;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;

/** One active node, as a user starts it, with a repository beside it from which the first stream makes it fetch {@code monitoring}. */
final class NodeRelay {
    private NodeRelay() {
    }

    /** Starts both; they end with the testbed. */
    static RelaySystem start(RelayKind kind, Build build, RelayTestbed testbed, int port) {
        Starter starter = testbed.node()::start;
        RepositoryProcess repository = RepositoryProcess.start(build, starter, testbed.folder(kind + "-repository"));
        repository.push("monitoring");
        NodeProcess node = NodeProcess.start(build, starter, testbed.nodeAddress().getHostAddress() + ":" + port,
                testbed.folder(kind.toString()), "--repository", repository.url(), "--route", testbed.serverSubnet() + "=direct");
        testbed.sender().reach(node.address());
        return new RelaySystem(kind, node.address(), node.address(), Optional.of(node.tree()));
    }
}
