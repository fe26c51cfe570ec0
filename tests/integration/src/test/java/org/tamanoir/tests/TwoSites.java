package org.tamanoir.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * Two sites on loopback, in processes as an operator starts them: the first has 127.0.1.0/24 and the second 127.0.2.0/24, each with a node
 * at its edge that delivers to its own site and sends what is for the other site to the other node. A repository holds the services.
 */
final class TwoSites implements AutoCloseable {
    static final String FIRST_HOST = "127.0.1.1";
    static final String SECOND_HOST = "127.0.2.1";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A node: where it takes streams, and its admin API. */
    record Site(String via, HttpFetch admin) {
        /** The streams that have ended, newest first. */
        List<JsonNode> ended() {
            List<JsonNode> streams = new ArrayList<>();
            admin.json("/streams?ended").path("streams").forEach(streams::add);
            return streams;
        }
    }

    private final Path directory;
    private final Deque<LabProcess> processes = new ArrayDeque<>();
    private final Thread onExit = new Thread(this::endProcesses, "end the two sites");
    private final Site first;
    private final Site second;

    TwoSites() throws IOException {
        Runtime.getRuntime().addShutdownHook(onExit);
        directory = Files.createTempDirectory(Path.of("target"), "two-sites").toAbsolutePath();
        try {
            String repository = start("repository", "repository", "run", "--listen", "127.0.0.1:0", "--data", path("repository"), "--development")
                    .awaitLine("READY ", PATIENCE).split(" ")[2];
            List<String> push = new ArrayList<>(List.of("service", "push", "--repository", repository));
            for (String service : List.of("forward", "monitoring", "compression")) {
                push.add(Grid.bundle(service).toString());
            }
            CommandLineTool.run(push.toArray(String[]::new));
            LabProcess one = node("first", repository, "127.0.1.0/24=direct");
            LabProcess two = node("second", repository, "127.0.2.0/24=direct");
            first = site(one);
            second = site(two);
            route(first, "127.0.2.0/24", second);
            route(second, "127.0.1.0/24", first);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private LabProcess node(String name, String repository, String route) {
        return start(name, "node", "run", "--development", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", path(name),
                "--repository", repository, "--route", route);
    }

    private static Site site(LabProcess node) {
        String[] ready = node.awaitLine("READY ", PATIENCE).split(" ");
        return new Site(URI.create(ready[2]).getAuthority(), HttpFetch.of(ready[4], ErrorCode.UNREACHABLE));
    }

    /** Each node has to know the port of the other, so the routes between them come when both run. */
    private static void route(Site from, String prefix, Site to) throws IOException {
        String route = "{\"prefix\": \"" + prefix + "\", \"target\": \"" + to.via() + "\"}";
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(from.admin().base() + "/routes"))
                    .PUT(BodyPublishers.ofString(route)).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new LabException("the node takes no route: " + answer.body());
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private synchronized LabProcess start(String title, String... arguments) {
        LabProcess process = LabProcess.start(title, CommandLineTool.command(arguments));
        processes.push(process);
        return process;
    }

    Path directory() {
        return directory;
    }

    Site first() {
        return first;
    }

    Site second() {
        return second;
    }

    /** Starts a gateway at a site. @return its port on loopback */
    int gateway(Site at, String to, String services) {
        String ready = start("gateway", "gateway", "--listen", "127.0.0.1:0", "--via", at.via(), "--to", to, "--service", services,
                "--check", "0").awaitLine("READY gateway ", PATIENCE);
        return Integer.parseInt(ready.substring(ready.lastIndexOf(':') + 1));
    }

    /** Starts a gateway at a site that asks programs where they want to go. @param more what it is told else @return its port on loopback */
    int proxy(Site at, String services, String... more) {
        List<String> words = new ArrayList<>(List.of("gateway", "--proxy", "--listen", "127.0.0.1:0", "--via", at.via(), "--service", services));
        words.addAll(List.of(more));
        String ready = start("proxy", words.toArray(String[]::new)).awaitLine("READY gateway ", PATIENCE);
        return Integer.parseInt(ready.substring(ready.lastIndexOf(':') + 1));
    }

    private synchronized void endProcesses() {
        while (!processes.isEmpty()) {
            processes.pop().close();
        }
    }

    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(onExit);
        endProcesses();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
