package org.tamanoir.benchmarks.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;

/** An active node at every station, as a user starts it, with a repository beside it from which the first stream makes it fetch {@code monitoring}. */
final class NodeRelay {
    private NodeRelay() {
    }

    /** Starts them; they end with the testbed. */
    static RelaySystem start(RelayKind kind, Build build, RelayTestbed testbed, int port) {
        List<ProcessTree> processes = new ArrayList<>();
        String next = "direct";
        InetSocketAddress entry = null;
        for (Station station : testbed.backwards()) {
            Path folder = testbed.folder(kind + "-" + station.address().getHostAddress());
            Starter starter = station.host()::start;
            RepositoryProcess repository = RepositoryProcess.start(build, starter, folder.resolve("repository"));
            repository.push("monitoring");
            entry = new InetSocketAddress(station.address(), port);
            List<String> more = new ArrayList<>(List.of("--repository", repository.url(), "--route", testbed.serverSubnet() + "=" + next));
            configuration(station, folder).ifPresent(file -> more.addAll(List.of("--config", file.toString())));
            NodeProcess node = NodeProcess.start(build, starter, LowerMarks.text(entry), folder.resolve("data"), more.toArray(String[]::new));
            processes.add(node.tree());
            next = "tls://" + LowerMarks.text(entry);
        }
        testbed.sender().reach(entry);
        return new RelaySystem(kind, entry, entry, processes);
    }

    /** Who it is, where it is somebody: whoever comes in without TLS is then a client, and elsewhere nobody. */
    private static Optional<Path> configuration(Station station, Path folder) {
        return station.accepts().or(station::connects).map(files -> {
            try {
                return Files.writeString(folder.resolve("node.yaml"), "tls: {certificate: %s, key: %s, authorities: %s, plain: %s}%n".formatted(files.certificate(),
                        files.key(), files.authorities(), station.accepts().isPresent() ? "[]" : "[0.0.0.0/0]"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
