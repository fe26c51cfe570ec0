package org.tamanoir.benchmarks.memory;

import java.net.InetAddress;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;

/** A repository with {@code monitoring}, and nodes on loopback that fetch from it. */
final class Loopback implements AutoCloseable {
    static final InetAddress ADDRESS = InetAddress.getLoopbackAddress();

    private static final String ANY_PORT = "127.0.0.1:0";

    private final Workbench workbench = new Workbench();
    private final RepositoryProcess repository;
    private int nodes;

    Loopback() {
        try {
            repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
            repository.push("monitoring");
        } catch (RuntimeException e) {
            workbench.close();
            throw e;
        }
    }

    /** A node that delivers here. */
    NodeProcess last() {
        return add("--repository", repository.url());
    }

    /** A node whose next node is another. */
    NodeProcess before(NodeProcess next) {
        return add("--repository", repository.url(), "--route", "127.0.0.0/8=127.0.0.1:" + next.address().getPort());
    }

    private NodeProcess add(String... arguments) {
        return NodeProcess.start(workbench, ANY_PORT, workbench.folder("node" + nodes++), arguments);
    }

    @Override
    public void close() {
        workbench.close();
    }
}
