package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** {@code tamanoir node run} on a host of a laboratory, asked and ended as its operator asks and ends it. */
final class LabNode {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SIGSEGV = 11;

    private final Host host;
    private final Path directory;
    private final NodeProcess node;

    private LabNode(Host host, Path directory, NodeProcess node) {
        this.host = host;
        this.directory = directory;
        this.node = node;
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
        return new LabNode(host, directory, NodeProcess.launch(host, directory, text, command(directory, prefix)));
    }

    /** Waits until it serves. */
    LabNode awaitReady() {
        node.awaitReady();
        return this;
    }

    /** How a node ends that cannot start. */
    static Command.Result fail(Host host, Path directory, String text, String... prefix) throws IOException {
        NodeProcess.configure(directory, text);
        return host.tryRun(PATIENCE, command(directory, prefix).toArray(String[]::new));
    }

    private static List<String> command(Path directory, String... prefix) throws IOException {
        Files.createDirectories(directory.resolve("tmp"));
        return Command.append(List.of(prefix), CommandLineTool.command(List.of("-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve("crash.log"), "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + directory.resolve("tmp")),
                NodeProcess.onHost(directory)));
    }

    /** Gives it a bundle. */
    void deploy(Path bundle) {
        node.deploy(bundle);
    }

    /** Changes its configuration. */
    void configure(String text) {
        NodeProcess.configure(directory, text);
    }

    /** Waits until the kernel is used at every interface of its host: one that was made just now may take a second to say that it runs. */
    LabNode inKernel() {
        return inKernel(host.ip("-o", "link", "show", "up").output().lines().map(line -> line.split("[ :@]+")[1])
                .filter(name -> !name.equals("lo")).toArray(String[]::new));
    }

    /** Waits until the kernel is used at these, which may just be coming up. */
    LabNode inKernel(String... interfaces) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode kernel = kernel();
            assertThat(kernel.path("used").asBoolean()).as("%s", kernel).isTrue();
            assertThat(interfaces).as("%s", kernel).allSatisfy(name -> assertThat(kernel.path("interfaces").path(name).asText("that is up")).doesNotEndWith("that is up"));
        });
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
        return asked(() -> node.get(path));
    }

    private String metrics() {
        return asked(() -> node.admin().text("/metrics"));
    }

    private <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (LabException e) {
            throw new AssertionError(e.getMessage() + node.process().errors(), e);
        }
    }

    /** A series of the metrics, as it is printed. */
    long metric(String series) {
        Matcher line = Pattern.compile("^" + Pattern.quote(series) + " (\\S+)$", Pattern.MULTILINE).matcher(metrics());
        assertThat(line.find()).as("the metric %s", series).isTrue();
        return (long) Double.parseDouble(line.group(1));
    }

    /** The sum of all series of a metric: of every version of a service, and every time that it was started. */
    long sum(String name) {
        List<String> lines = metrics().lines().filter(line -> line.startsWith(name + "{")).toList();
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
        return metrics().lines().filter(line -> line.startsWith("tamanoir_kernel_")).collect(Collectors.joining(", "));
    }

    /** Error codes of the node and how often each was met. */
    Map<String, Long> errors() {
        Map<String, Long> errors = new TreeMap<>();
        status().path("errors").properties().forEach(entry -> errors.put(entry.getKey(), entry.getValue().asLong()));
        errors.values().removeIf(count -> count == 0);
        return errors;
    }

    /** What a command of {@code tamanoir node} says of it to people. */
    String tell(String... command) {
        List<String> words = Command.append(CommandLineTool.command("node"), command);
        Command.Result result = host.tryRun(PATIENCE, Command.append(words, "--node", admin()).toArray(String[]::new));
        assertThat(result.exit()).as(result.errors()).isZero();
        return result.output();
    }

    /** What is in the directory that it was given for temporary files. */
    List<String> temporaryFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    /** The URL of its admin API, on its own host. */
    String admin() {
        return node.admin().url();
    }

    long pid() {
        return node.pid();
    }

    /** SIGTERM. */
    void end() {
        node.close();
    }

    /** SIGKILL. */
    void kill() {
        node.kill();
    }

    /** What happens when native code goes wrong. */
    void crash() {
        Command.run(List.of("kill", "-" + SIGSEGV, Long.toString(pid())));
        assertThat(node.process().awaitExit(PATIENCE)).as("the exit code of a crash").isNotZero();
    }
}
