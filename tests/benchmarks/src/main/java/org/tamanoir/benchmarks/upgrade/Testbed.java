package org.tamanoir.benchmarks.upgrade;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.bundle.Stamp;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Signer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.soak.Soak;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.ServiceBundle;

/**
 * Source, first node, last node, receiver; a repository that both nodes know, and a third node that is a neighbour of the last one. Seven
 * processes on loopback. Bundles are signed, and the repository and the nodes take only what is.
 */
final class Testbed implements AutoCloseable {
    /** How a version gets to the nodes. */
    enum Way {
        /** Published, and both nodes are told to upgrade. */
        REPOSITORY,
        /** Pushed to the first node and to the neighbour; the last node is told to upgrade, and has to find it there. */
        NEIGHBOUR,
        /** Pushed to both nodes. */
        PUSH
    }

    /**
     * One upgrade of one node.
     *
     * @param node    first or last
     * @param version that was to become active
     * @param source  the kind of source that the node names: repository, node, store or pushed; null if it failed
     * @param millis  until the node said that the version is active
     * @param failure why it is not, or null
     */
    record Upgrade(String node, String version, String source, double millis, String failure) {
        boolean hasFailed() {
            return failure != null;
        }
    }

    private static final String SERVICE = "soak";
    private static final int TYPE_ID = 0x57E0;

    /** A version that datagrams went through is removed soon after the last of them; not so soon that a busy machine ends a stream. */
    private static final String LIMITS = "limits: {datagram-idle: 8s}\n";

    private final Workbench workbench = new Workbench();
    private final Signer signer;
    private final Path limits;
    final NodeProcess neighbour;
    private final NodeProcess last;
    private final NodeProcess first;
    final Soak soak;
    RepositoryProcess repository;
    /** Of the version that both nodes have, or are to have, by now. */
    private int number = 1;

    Testbed() {
        try {
            signer = new Signer(workbench.folder("key"));
            limits = Files.writeString(workbench.folder("configuration").resolve("node.yaml"), LIMITS);
            startRepository(0);
            repository.put(bundle());
            neighbour = node("neighbour");
            last = node("last", "--repository", repository.url(), "--neighbour", neighbour.admin().codeServer());
            first = node("first", "--repository", repository.url(), "--route", "127.0.0.0/8=127.0.0.1:" + last.address().getPort());
            soak = new Soak(workbench, InetAddress.getLoopbackAddress(), workbench.folder("books"));
        } catch (RuntimeException e) {
            workbench.close();
            throw e;
        } catch (IOException e) {
            workbench.close();
            throw new UncheckedIOException(e);
        }
    }

    private void startRepository(int port) {
        repository = RepositoryProcess.start(workbench, workbench.folder("repository"), port, signer);
    }

    private NodeProcess node(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--config", limits.toString(), "--trust", signer.publishers().toString()));
        arguments.addAll(List.of(more));
        return NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder(name), arguments.toArray(String[]::new));
    }

    private String version() {
        return "1.0." + number;
    }

    /** The version of the service, signed, as a file. */
    private Path bundle() {
        Path bundle = new ServiceBundle(SERVICE, TYPE_ID, "middle", Stamp.class).version(version()).in(workbench.folder("bundles"));
        return signer.sign(bundle, bundle);
    }

    /** Sends a stream, so that both nodes get the service: datagrams that had to wait for it beyond a node's limits would be lost by right. */
    void bringService() {
        startLoad(new Soak.Load(1, 0, 1000, 1));
        soak.stop();
    }

    void startLoad(Soak.Load load) {
        soak.start(TYPE_ID, first.address(), load);
    }

    /** Starts the repository again where it was, on what it had, after it was killed. */
    void restartRepository() {
        startRepository(repository.port());
    }

    /** Entries of the service on the first node. @throws LabException if it does not answer */
    int versions() {
        try {
            return first.admin().versions(SERVICE);
        } catch (AnepException e) {
            throw new LabException("the first node does not answer at the end: " + e.getMessage(), e);
        }
    }

    /** Makes the next version of the service and brings both nodes to it, at the same time. @return the upgrades of both */
    List<Upgrade> upgrade(Way way) {
        number++;
        Path bundle = bundle();
        try {
            if (way == Way.REPOSITORY) {
                repository.put(bundle);
            } else if (way == Way.NEIGHBOUR) {
                neighbour.admin().deploy(bundle);
            }
        } catch (AnepException e) {
            String failure = "the source did not take it: " + e.getMessage();
            return List.of(new Upgrade("first", version(), null, 0, failure), new Upgrade("last", version(), null, 0, failure));
        }
        CompletableFuture<Upgrade> one = CompletableFuture.supplyAsync(() -> upgrade("first", first, way != Way.REPOSITORY, bundle));
        Upgrade other = upgrade("last", last, way == Way.PUSH, bundle);
        return List.of(one.join(), other);
    }

    private Upgrade upgrade(String name, NodeProcess node, boolean push, Path bundle) {
        Supplier<String> way = push ? () -> node.admin().deploy(bundle) : () -> node.admin().upgrade(SERVICE, version());
        long start = System.nanoTime();
        try {
            String source = way.get();
            double millis = (System.nanoTime() - start) / 1e6;
            String current = node.admin().current(SERVICE).map(entry -> entry.path("version").asText()).orElse("none");
            return new Upgrade(name, version(), kind(source), millis,
                    current.equals(version()) ? null : "the node said it was done, and new streams get " + current);
        } catch (AnepException | LabException e) {
            return new Upgrade(name, version(), null, (System.nanoTime() - start) / 1e6, e.getMessage());
        }
    }

    /** What a node says of a source, without its address: {@code http://127.0.0.1:3325} is repository, {@code node H:P} is node. */
    private static String kind(String source) {
        return source.startsWith("http") ? "repository" : source.split(" ")[0];
    }

    @Override
    public void close() {
        workbench.close();
    }
}
