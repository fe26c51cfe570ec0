package org.tamanoir.benchmarks.upgrade;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Signer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.soak.Received;
import org.tamanoir.benchmarks.soak.Sent;
import org.tamanoir.benchmarks.soak.SoakLoad;
import org.tamanoir.benchmarks.soak.SoakReceiver;
import org.tamanoir.benchmarks.soak.SoakSource;
import org.tamanoir.lab.ServiceBundle;

/**
 * Source, first node, last node, receiver; a repository that both nodes know, and a third node that is a neighbour of the last one. Seven
 * processes on loopback. Bundles are signed, and the repository and the nodes take only what is.
 */
final class Testbed implements AutoCloseable {
    static final String SERVICE = "soak";

    private static final int TYPE_ID = 0x57E0;
    private static final String ANY_PORT = "127.0.0.1:0";

    /** A version that datagrams went through is removed soon after the last of them; not so soon that a busy machine ends a stream. */
    private static final String LIMITS = "limits: {datagram-idle: 8s}\n";

    private final Workbench workbench = new Workbench();
    private final Signer signer;
    private final Path limits;
    private final NodeProcess neighbour;
    private final NodeProcess last;
    private final NodeProcess first;
    private final SoakReceiver receiver;
    private final SoakSource source;
    private RepositoryProcess repository;

    /** @param version of the service that the repository has from the beginning */
    Testbed(String version) {
        try {
            signer = new Signer(workbench.folder("key"));
            limits = Files.writeString(workbench.folder("configuration").resolve("node.yaml"), LIMITS);
            repository = RepositoryProcess.start(workbench, workbench.folder("repository"), 0, signer);
            repository.put(bundle(version));
            neighbour = node("neighbour");
            last = node("last", "--repository", repository.url(), "--neighbour", neighbour.admin().codeServer());
            first = node("first", "--repository", repository.url(), "--route", "127.0.0.0/8=127.0.0.1:" + last.address().getPort());
            receiver = SoakReceiver.start(workbench, InetAddress.getLoopbackAddress());
            source = SoakSource.start(workbench);
        } catch (RuntimeException e) {
            workbench.close();
            throw e;
        } catch (IOException e) {
            workbench.close();
            throw new UncheckedIOException(e);
        }
    }

    private NodeProcess node(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--config", limits.toString(), "--trust", signer.publishers().toString()));
        arguments.addAll(List.of(more));
        return NodeProcess.start(workbench, ANY_PORT, workbench.folder(name), arguments.toArray(String[]::new));
    }

    /** A version of the service, signed, as a file. */
    Path bundle(String version) {
        Path bundle = new ServiceBundle(SERVICE, TYPE_ID, "middle", Stamp.class).version(version).in(workbench.folder("bundles"));
        return signer.sign(bundle, bundle);
    }

    /** Sends a stream, so that both nodes get the service: datagrams that had to wait for it beyond a node's limits would be lost by right. */
    void bringService() {
        startLoad(new SoakLoad(1, 0, 1000, 1));
        endLoad();
    }

    void startLoad(SoakLoad load) {
        source.start(TYPE_ID, first.address(), receiver, load);
    }

    SoakSource source() {
        return source;
    }

    /** Ends the streams. */
    Sent endLoad() {
        return source.stop(workbench.folder("books").resolve("sent.json"));
    }

    /** What has arrived, when nothing more does. */
    Received received() {
        return receiver.books(workbench.folder("books").resolve("received.json"));
    }

    NodeProcess first() {
        return first;
    }

    NodeProcess last() {
        return last;
    }

    NodeProcess neighbour() {
        return neighbour;
    }

    RepositoryProcess repository() {
        return repository;
    }

    /** Starts the repository again where it was, on what it had, after it was killed. */
    void restartRepository() {
        repository = RepositoryProcess.start(workbench, workbench.folder("repository"), repository.port(), signer);
    }

    @Override
    public void close() {
        workbench.close();
    }
}
