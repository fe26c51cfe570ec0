package org.tamanoir.benchmarks.memory;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.LabProcess;

/** A repository with {@code monitoring}, and nodes on loopback that fetch from it. */
final class Loopback implements AutoCloseable {
    static final InetAddress ADDRESS = InetAddress.getLoopbackAddress();

    private static final Starter HERE = LabProcess::start;
    private static final String ANY_PORT = "127.0.0.1:0";

    private final TemporaryFolder files = new TemporaryFolder();
    private final Deque<NodeProcess> nodes = new ArrayDeque<>();
    private final RepositoryProcess repository;

    Loopback() {
        try {
            repository = RepositoryProcess.start(HERE, files.folder("repository"));
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
        try {
            repository.push("monitoring");
        } catch (RuntimeException e) {
            close();
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
        NodeProcess node = NodeProcess.start(HERE, ANY_PORT, files.folder("node" + nodes.size()), arguments);
        nodes.push(node);
        return node;
    }

    @Override
    public void close() {
        nodes.forEach(NodeProcess::close);
        repository.close();
        files.close();
    }
}
