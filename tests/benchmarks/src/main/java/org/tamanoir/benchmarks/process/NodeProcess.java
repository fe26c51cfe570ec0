package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A running {@code tamanoir node run}. */
public final class NodeProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY node ";
    private static final String TOKEN = "bench";

    private final LabProcess process;
    private final InetSocketAddress address;
    private final NodeAdmin admin;

    private NodeProcess(LabProcess process, String token) {
        this.process = process;
        // READY node anep://127.0.0.1:3322 admin http://127.0.0.1:40001
        String[] words = process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ");
        URI uri = URI.create(words[0]);
        this.address = new InetSocketAddress(uri.getHost(), uri.getPort());
        this.admin = new NodeAdmin(words[2], token);
    }

    /**
     * Starts it, and returns when it serves.
     *
     * @param listen {@code HOST:PORT}
     * @param data   its folder
     * @param more   further arguments of {@code node run}; without {@code --trust} it runs what nobody has signed
     * @throws LabException if it does not get ready; the message holds what it wrote
     */
    public static NodeProcess start(Starter starter, String listen, Path data, String... more) {
        return start(Build.own(), starter, listen, data, more);
    }

    /** The same of another build. */
    public static NodeProcess start(Build build, Starter starter, String listen, Path data, String... more) {
        List<String> arguments = new ArrayList<>(List.of("node", "run", "--listen", listen, "--admin", "127.0.0.1:0", "--data", data.toString()));
        arguments.addAll(List.of(more));
        if (build.checkout() == null && !listen.startsWith("127.")) {
            // The hosts of a laboratory: what they send goes to the kernel at once.
            arguments.addAll(List.of("--peer", "10.0.0.0/8", "--peer", "fd00::/8"));
        }
        boolean development = !arguments.contains("--trust");
        arguments.addAll(development ? List.of("--development") : List.of("--admin-token-file", tokenFile(data).toString()));
        return new NodeProcess(starter.start("node", build.command(arguments.toArray(String[]::new))), development ? null : TOKEN);
    }

    /** Beside its folder, which may have to be empty. */
    private static Path tokenFile(Path data) {
        try {
            Files.createDirectories(data.toAbsolutePath().getParent());
            return Files.writeString(Path.of(data.toAbsolutePath() + ".token"), TOKEN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it takes streams. */
    public InetSocketAddress address() {
        return address;
    }

    /** Its admin API. */
    public NodeAdmin admin() {
        return admin;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it (SIGKILL): it has no chance to say farewell. */
    public void kill() {
        process.kill();
    }

    public ProcessTree tree() {
        return new ProcessTree(process.pid());
    }

    @Override
    public void close() {
        process.close();
    }
}
