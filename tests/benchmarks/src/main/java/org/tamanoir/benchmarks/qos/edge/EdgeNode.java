package org.tamanoir.benchmarks.qos.edge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** {@code tamanoir node run} on a host of a laboratory, whose admin API only that host reaches. */
public final class EdgeNode {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 50;
    /** Words of the line that a node prints when it serves. */
    private static final int ADMIN = 4;

    private final Host host;
    private final LabProcess process;
    private final String admin;

    private EdgeNode(Host host, LabProcess process) {
        this.host = host;
        this.process = process;
        this.admin = process.awaitLine("READY ", PATIENCE).split(" ")[ADMIN];
    }

    /**
     * Starts it, and returns when it serves. It ends with its laboratory.
     *
     * @param folder for its files
     * @param yaml   its configuration
     * @throws LabException if it does not get ready
     */
    public static EdgeNode start(Host host, Path folder, String yaml) {
        Path file = folder.resolve("node.yaml");
        try {
            Files.createDirectories(folder);
            Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // The hosts of a laboratory are peers: a node believes what they say of a path, and their packets go to the kernel at once.
        return new EdgeNode(host, host.start("node", CommandLineTool.command("node", "run", "--config", file.toString(), "--admin", "127.0.0.1:0",
                "--development", "--data", folder.resolve("data").toString(), "--drain", "0s", "--peer", "10.0.0.0/8", "--peer", "fd00::/8")));
    }

    /** What the admin API answers to a GET. @throws LabException if it answers something else than JSON, or an error */
    public JsonNode get(String path) {
        return request("GET", path, null);
    }

    /** Has the admin API do something: a POST without a body. @throws LabException if it refuses */
    public void post(String path) {
        request("POST", path, null);
    }

    /** Gives it a bundle; returns when the service is active. @throws LabException if it refuses */
    public void deploy(Path bundle) {
        request("PUT", "/bundles", bundle);
    }

    private JsonNode request(String method, String path, Path body) {
        try {
            return host.inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(admin + path).toURL().openConnection();
                // Another host's loopback has the same address: a connection that is kept would be used for it.
                connection.setRequestProperty("Connection", "close");
                connection.setRequestMethod(method);
                connection.setConnectTimeout((int) PATIENCE.toMillis());
                connection.setReadTimeout((int) PATIENCE.toMillis());
                if (body != null) {
                    connection.setDoOutput(true);
                    Files.copy(body, connection.getOutputStream());
                }
                try (InputStream in = connection.getInputStream()) {
                    return new ObjectMapper().readTree(in);
                }
            });
        } catch (Exception e) {
            throw new LabException(method + " " + path + (body == null ? "" : " " + body.getFileName()) + ": " + e + " " + process.errors(), e);
        }
    }

    /** Asks until the answer is wanted. @return it @throws LabException with the last answer if that takes too long */
    public JsonNode await(String path, Duration patience, Predicate<JsonNode> wanted) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            JsonNode answer = get(path);
            if (wanted.test(answer)) {
                return answer;
            }
            if (System.nanoTime() > end) {
                throw new LabException("after " + patience.toSeconds() + " s " + path + " still is " + answer);
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Kills it (SIGKILL): it has no chance to say farewell. */
    public void kill() {
        process.kill();
    }

    public ProcessTree tree() {
        return new ProcessTree(process.pid());
    }
}
