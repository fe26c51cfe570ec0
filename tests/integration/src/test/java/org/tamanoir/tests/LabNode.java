package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;

/** {@code tamanoir node run} on a host of a laboratory, asked and ended as its operator asks and ends it. */
final class LabNode {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SIGSEGV = 11;

    private final Host host;
    private final Path file;
    private final LabProcess process;
    private String admin;

    private LabNode(Host host, Path file, LabProcess process) {
        this.host = host;
        this.file = file;
        this.process = process;
    }

    /**
     * Starts a node and waits until it serves.
     *
     * @param directory for its files; the same again for the same node
     * @param text      of its configuration, but for its directory, its admin API, and that it runs bundles that nobody has signed
     * @param prefix    of its command
     */
    static LabNode start(Host host, Path directory, String text, String... prefix) throws IOException {
        return launch(host, directory, text, prefix).awaitReady();
    }

    /** The same, without waiting. */
    static LabNode launch(Host host, Path directory, String text, String... prefix) throws IOException {
        return new LabNode(host, write(directory, text), host.start("node", command(directory, prefix)));
    }

    /** Waits until it serves. */
    LabNode awaitReady() {
        admin = process.awaitLine("READY ", PATIENCE).split(" ")[4];
        return this;
    }

    /** How a node ends that cannot start. */
    static Command.Result fail(Host host, Path directory, String text, String... prefix) throws IOException {
        write(directory, text);
        return host.tryRun(PATIENCE, command(directory, prefix).toArray(String[]::new));
    }

    private static List<String> command(Path directory, String... prefix) {
        List<String> command = new ArrayList<>(List.of(prefix));
        command.addAll(CommandLineTool.command(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + directory.resolve("crash.log"),
                "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + directory.resolve("tmp")), "node", "run", "--config", directory.resolve("node.yaml").toString(), "--admin", "127.0.0.1:0",
                "--development", "--data", directory.resolve("data").toString(), "--drain", "0s", "--peer", "10.0.0.0/8", "--peer", "fd00::/8"));
        return command;
    }

    private static Path write(Path directory, String text) throws IOException {
        Files.createDirectories(directory.resolve("tmp"));
        Path fresh = Files.writeString(directory.resolve("node.yaml.new"), text);
        return Files.move(fresh, directory.resolve("node.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Changes its configuration. */
    void configure(String text) throws IOException {
        write(file.getParent(), text);
    }

    /** Waits until the kernel is used. */
    LabNode inKernel() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(kernel().path("used").asBoolean()).as("%s", kernel()).isTrue());
        return this;
    }

    JsonNode status() {
        return get("/status");
    }

    JsonNode kernel() {
        return status().path("kernel");
    }

    /** What the admin API answers. */
    JsonNode get(String path) {
        try {
            return new ObjectMapper().readTree(text(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String text(String path) {
        try {
            return host.inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(admin + path).toURL().openConnection();
                // A connection that is kept would be used again for another host, whose loopback has the same address.
                connection.setRequestProperty("Connection", "close");
                connection.setReadTimeout((int) PATIENCE.toMillis());
                try (InputStream in = connection.getInputStream()) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
            });
        } catch (Exception e) {
            throw new AssertionError("GET " + path + ": " + e + process.errors(), e);
        }
    }

    /** A series of the metrics, as it is printed. */
    long metric(String series) {
        Matcher line = Pattern.compile("^" + Pattern.quote(series) + " (\\S+)$", Pattern.MULTILINE).matcher(text("/metrics"));
        assertThat(line.find()).as("the metric %s", series).isTrue();
        return (long) Double.parseDouble(line.group(1));
    }

    /** The sum of all series of a metric: of every version of a service, and every time that it was started. */
    long sum(String name) {
        List<String> lines = text("/metrics").lines().filter(line -> line.startsWith(name + "{")).toList();
        assertThat(lines).as("the metric %s", name).isNotEmpty();
        return (long) lines.stream().mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    /** A rule, by its name: {@code operator/NAME}. */
    JsonNode rule(String name) {
        for (JsonNode rule : get("/rules").path("rules")) {
            if ((rule.path("owner").asText() + "/" + rule.path("name").asText()).equals(name)) {
                return rule;
            }
        }
        throw new AssertionError("no rule " + name + " in " + get("/rules"));
    }

    /** Packets that the kernel has finished or handed up, by a word of the metrics: forwarded, answered, dropped. */
    long done(String word) {
        return metric("tamanoir_kernel_packets_total{done=\"" + word + "\"}");
    }

    /** Packets that the kernel has handed up for a reason. */
    long up(String reason) {
        return metric("tamanoir_kernel_up_packets_total{reason=\"" + reason + "\"}");
    }

    /** What the kernel path has counted, for messages. */
    String kernelCounters() {
        return text("/metrics").lines().filter(line -> line.startsWith("tamanoir_kernel_")).collect(Collectors.joining(", "));
    }

    /** Error codes of the node and how often each was met. */
    Map<String, Long> errors() {
        Map<String, Long> errors = new java.util.TreeMap<>();
        status().path("errors").properties().forEach(entry -> errors.put(entry.getKey(), entry.getValue().asLong()));
        errors.values().removeIf(count -> count == 0);
        return errors;
    }

    /** What a command of {@code tamanoir node} says of it to people. */
    String tell(String... command) {
        List<String> arguments = new ArrayList<>(List.of("node"));
        arguments.addAll(List.of(command));
        arguments.addAll(List.of("--node", admin));
        Command.Result result = host.tryRun(PATIENCE, CommandLineTool.command(arguments.toArray(String[]::new)).toArray(String[]::new));
        assertThat(result.exit()).as(result.errors()).isZero();
        return result.output();
    }

    /** What is in the directory that it was given for temporary files. */
    List<String> temporaryFiles() throws IOException {
        try (Stream<Path> files = Files.list(file.resolveSibling("tmp"))) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    /** The URL of its admin API, on its own host. */
    String admin() {
        return admin;
    }

    long pid() {
        return process.pid();
    }

    /** SIGTERM. */
    void end() {
        process.end();
    }

    /** SIGKILL. */
    void kill() {
        process.kill();
    }

    /** What happens when native code goes wrong. */
    void crash() {
        Command.run(List.of("kill", "-" + SIGSEGV, Long.toString(pid())));
        assertThat(process.awaitExit(PATIENCE)).as("the exit code of a crash").isNotZero();
    }
}
