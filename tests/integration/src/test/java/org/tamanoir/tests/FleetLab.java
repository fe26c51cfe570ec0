package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.node.Node;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;

/** A fleet: a server, nodes in this process, and the folder of their operator. Nodes ask five times a second. */
final class FleetLab implements AutoCloseable {
    /** Times of {@code fleet.yaml} under which a test does not take long. */
    static final String TIMES = "times: {poll: 200ms, report: 300ms}\n";

    private final Grid grid;
    private final Path data;
    private final Path folder;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private RepositoryServer server;
    private int port;

    FleetLab() throws IOException {
        grid = Grid.withRepository();
        data = Files.createDirectories(grid.directory().resolve("fleet-server"));
        folder = Files.createDirectories(grid.directory().resolve("fleet"));
        Files.createDirectories(folder.resolve("groups"));
        Files.createDirectories(folder.resolve("nodes"));
        up();
    }

    /** The server of the fleet, at the same address each time. */
    void up() {
        server = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", port), data));
        port = server.address().getPort();
    }

    void down() {
        server.close();
        server = null;
    }

    Grid grid() {
        return grid;
    }

    HttpFetch http() {
        return HttpFetch.of("http://127.0.0.1:" + port, ErrorCode.REPOSITORY_UNREACHABLE);
    }

    /** A node whose own file says what fleet it is in, and {@code more}. */
    Node node(String name, String more) throws IOException {
        Node node = grid.node(file(name, more), data(name));
        nodes.put(name, node);
        return node;
    }

    /** The directory of a node. */
    Path data(String name) {
        return grid.directory().resolve("data-" + name);
    }

    /** A node that was closed, on its directory and with its file. */
    Node again(String name) {
        Node node = grid.node(grid.directory().resolve(name + ".yaml"), data(name));
        nodes.put(name, node);
        return node;
    }

    Path file(String name, String more) throws IOException {
        return Files.writeString(grid.directory().resolve(name + ".yaml"), "fleet: {url: 'http://127.0.0.1:" + port + "', name: " + name + "}\n" + more);
    }

    Node node(String name) {
        return nodes.get(name);
    }

    /** Writes a file of the folder. */
    FleetLab write(String file, String text) {
        try {
            Files.writeString(folder.resolve(file), text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code tamanoir fleet …} of the folder. */
    Command.Result fleet(String command, String... more) {
        return CommandLineTool.here(Command.append(Command.append(List.of("fleet", command, "--repository", "http://127.0.0.1:" + port)), more).toArray(String[]::new));
    }

    String folder() {
        return folder.toString();
    }

    JsonNode status() {
        return http().json("/fleet/status");
    }

    JsonNode status(String node) {
        return http().json("/fleet/status/" + node);
    }

    /** What a node says of its own limits. */
    int hops(String name) {
        return new NodeView(nodes.get(name)).status().path("limits").path("hops").asInt();
    }

    static JsonNode json(Command.Result result) throws IOException {
        assertThat(result.exit()).as(result.output() + result.errors()).isZero();
        return new ObjectMapper().readTree(result.output());
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
        grid.close();
    }
}
