package org.tamanoir.benchmarks.upgrade;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.LabException;

/** Makes the next version of the service and brings both nodes to it, at the same time. */
final class Upgrader implements AutoCloseable {
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

    private final Testbed testbed;
    private final ExecutorService both = Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task, "upgrade");
        thread.setDaemon(true);
        return thread;
    });
    private int number = 1;

    Upgrader(Testbed testbed) {
        this.testbed = testbed;
    }

    /** The version that both nodes have, or are to have, by now. */
    String version() {
        return "1.0." + number;
    }

    /** @return the upgrades of both nodes */
    List<Upgrade> next(Way way) {
        number++;
        Path bundle = testbed.bundle(version());
        try {
            if (way == Way.REPOSITORY) {
                testbed.repository().put(bundle);
            } else if (way == Way.NEIGHBOUR) {
                testbed.neighbour().admin().deploy(bundle);
            }
        } catch (AnepException | LabException e) {
            String failure = "the source did not take it: " + e.getMessage();
            return List.of(new Upgrade("first", version(), null, 0, failure), new Upgrade("last", version(), null, 0, failure));
        }
        CompletableFuture<Upgrade> first = upgrade("first", testbed.first(), way != Way.REPOSITORY, bundle);
        CompletableFuture<Upgrade> last = upgrade("last", testbed.last(), way == Way.PUSH, bundle);
        return List.of(first.join(), last.join());
    }

    private CompletableFuture<Upgrade> upgrade(String name, NodeProcess node, boolean push, Path bundle) {
        String version = version();
        Supplier<String> way = push ? () -> node.admin().deploy(bundle) : () -> node.admin().upgrade(Testbed.SERVICE, version);
        return CompletableFuture.supplyAsync(() -> {
            long start = System.nanoTime();
            try {
                String source = way.get();
                double millis = (System.nanoTime() - start) / 1e6;
                String current = node.admin().current(Testbed.SERVICE).map(entry -> entry.path("version").asText()).orElse("none");
                return new Upgrade(name, version, kind(source), millis,
                        current.equals(version) ? null : "the node said it was done, and new streams get " + current);
            } catch (AnepException | LabException e) {
                return new Upgrade(name, version, null, (System.nanoTime() - start) / 1e6, e.getMessage());
            }
        }, both);
    }

    /** What a node says of a source, without its address: {@code http://127.0.0.1:3325} is repository, {@code node H:P} is node. */
    private static String kind(String source) {
        return source.startsWith("http") ? "repository" : source.split(" ")[0];
    }

    @Override
    public void close() {
        both.shutdownNow();
    }
}
