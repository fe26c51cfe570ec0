package org.tamanoir.benchmarks.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A {@code tamanoir node run}. It ends with whoever has started it, if it is not ended before. */
public final class NodeProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY node ";
    private static final String TOKEN = "bench";
    /** The hosts of a laboratory: a node believes what they say of a path, and their packets go to the kernel at once. */
    private static final List<String> PEERS = List.of("--peer", "10.0.0.0/8", "--peer", "fd00::/8");
    private static final List<String> DEVELOPMENT = List.of("--development");

    private final LabProcess process;
    private final String token;
    private final Host host;
    private InetSocketAddress address;
    private NodeAdmin admin;

    private NodeProcess(LabProcess process, String token, Host host) {
        this.process = process;
        this.token = token;
        this.host = host;
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
        List<String> arguments = Command.append(List.of("node", "run", "--listen", listen, "--admin", "127.0.0.1:0", "--data", data.toString()), more);
        if (build.checkout() == null && !listen.startsWith("127.")) {
            arguments = Command.append(arguments, PEERS);
        }
        boolean development = !arguments.contains("--trust");
        arguments = Command.append(arguments, development ? DEVELOPMENT : List.of("--admin-token-file", tokenFile(data).toString()));
        LabProcess process = starter.start("node", build.command(arguments.toArray(String[]::new)));
        return new NodeProcess(process, development ? null : TOKEN, null).awaitReady();
    }

    /**
     * Starts it on a host of a laboratory, which alone reaches its admin API, and returns when it serves.
     *
     * @param folder for its files; the same again for the same node
     * @param yaml   its configuration
     */
    public static NodeProcess start(Host host, Path folder, String yaml) {
        return launch(host, folder, yaml, CommandLineTool.command(onHost(folder))).awaitReady();
    }

    /** The same by a command line of somebody's own with the arguments {@link #onHost}. It may not be ready yet. */
    public static NodeProcess launch(Host host, Path folder, String yaml, List<String> command) {
        configure(folder, yaml);
        return new NodeProcess(host.start("node", command), null, host);
    }

    /** The arguments of a node with its files in a folder. */
    public static String[] onHost(Path folder) {
        return Command.append(List.of("node", "run", "--config", folder.resolve("node.yaml").toString(), "--admin", "127.0.0.1:0", "--development",
                "--data", folder.resolve("data").toString(), "--drain", "0s"), PEERS).toArray(String[]::new);
    }

    /** Writes the configuration of a node, which may run, into its folder. */
    public static void configure(Path folder, String yaml) {
        try {
            Files.createDirectories(folder);
            Path fresh = Files.writeString(folder.resolve("node.yaml.new"), yaml);
            Files.move(fresh, folder.resolve("node.yaml"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** Waits until it serves. @throws LabException if it does not get ready; the message holds what it wrote */
    public NodeProcess awaitReady() {
        // READY node anep://127.0.0.1:3322 admin http://127.0.0.1:40001
        String[] words = process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ");
        URI uri = URI.create(words[0]);
        address = new InetSocketAddress(uri.getHost(), uri.getPort());
        admin = new NodeAdmin(words[2], token, host);
        return this;
    }

    /** Where it takes streams. */
    public InetSocketAddress address() {
        return address;
    }

    /** Its admin API; that of a node that was started on a host by a {@link Starter} is known by its URL alone. */
    public NodeAdmin admin() {
        return admin;
    }

    public JsonNode get(String path) {
        return admin.get(path);
    }

    public JsonNode await(String path, Duration patience, Predicate<JsonNode> wanted) {
        return admin.await(path, patience, wanted);
    }

    public void post(String path) {
        admin.post(path, null);
    }

    public void deploy(Path bundle) {
        admin.deploy(bundle);
    }

    /** What it runs as. */
    public LabProcess process() {
        return process;
    }

    public long pid() {
        return process.pid();
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
