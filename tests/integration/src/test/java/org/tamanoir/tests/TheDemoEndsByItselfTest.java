package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.lab.Command;

/** Whoever tries the demo gets what it promises, and has no process and no file more than before, however it ended. */
@Tag("long")
class TheDemoEndsByItselfTest {
    private static final List<String> FIELDS = List.of("identical", "sha256", "bytesIn", "bytesWire", "bytesOut", "megabitsPerSecond", "services");
    private static final int SERVERS = 3;
    /** For those that are over before the second compiler would pay; the servers of a demo get the options of its own JVM. */
    private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

    @TempDir
    private Path temporary;
    @TempDir
    private Path files;

    private final Thread onExit = new Thread(this::endAll, "end the demo");
    private Process demo;

    /** A test that fails leaves no demo behind either, and neither does one that is told to end. */
    @AfterEach
    void endWhatIsLeft() {
        Runtime.getRuntime().removeShutdownHook(onExit);
        endAll();
    }

    @BeforeEach
    void endWithThisProcess() {
        Runtime.getRuntime().addShutdownHook(onExit);
    }

    private void endAll() {
        if (demo != null) {
            List<ProcessHandle> servers = demo.descendants().toList();
            demo.destroyForcibly();
            servers.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void itSendsTheJdksOwnModulesInLessThanAMinuteAndSaysSoInOneObject() throws Exception {
        long start = System.nanoTime();
        demo = demo(List.of(), "--json");
        assertThat(demo.waitFor(170, TimeUnit.SECONDS)).as("ends").isTrue();
        assertThat((System.nanoTime() - start) / 1e9).as("seconds").isLessThan(60 * others());
        assertThat(demo.exitValue()).as(errors()).isZero();
        assertThat(errors()).isEmpty();

        JsonNode said = CommandLineTool.json(output());
        assertThat(said.fieldNames()).toIterable().containsAll(FIELDS);
        Path sent = Path.of(System.getProperty("java.home"), "lib", "modules");
        assertThat(said.path("identical").booleanValue()).isTrue();
        assertThat(said.path("sha256").asText()).isEqualTo(TestFile.sha256(sent));
        assertThat(said.path("bytesIn").asLong()).isEqualTo(Files.size(sent));
        assertThat(said.path("bytesOut").asLong()).isEqualTo(Files.size(sent));
        assertThat(said.path("bytesWire").asLong()).as("compressed between the nodes").isBetween(1L, Files.size(sent) / 2);
        assertThat(said.path("megabitsPerSecond").asDouble()).isPositive();
        assertThat(said.path("services")).as("two services at each of two nodes").hasSize(4).allSatisfy(service -> {
            assertThat(service.path("name").asText()).isIn("monitoring", "compression");
            assertThat(service.path("source").asText()).as("the first node asks the repository, the second the first")
                    .startsWith(service.path("node").asText().equals("first") ? "http://127.0.0.1:" : "node 127.0.0.1:");
            assertThat(service.path("waitMillis").asLong()).isPositive();
        });
        assertThat(left()).isEmpty();
    }

    /** How many times longer everything takes because the machine has more to do than it has cores; 1 where it has not. */
    private static double others() {
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        return Math.max(1, machine.getSystemLoadAverage() / machine.getAvailableProcessors());
    }

    /** By a signal to all of its processes at once, as Ctrl-C in a terminal sends it. */
    @Test
    void keptOpenItGoesWithAllItsProcessesWhenItIsToldTo() throws Exception {
        demo = demo(QUICK_START, "--keep", "--file", TestFile.halfCompressible(files.resolve("file"), 1_000_000).toString());
        Awaitility.await().atMost(Duration.ofMillis((long) (60_000 * others()))).until(() -> output().contains("Ctrl-C ends everything.") || !demo.isAlive());
        List<ProcessHandle> servers = demo.descendants().toList();
        assertThat(servers).as(errors()).hasSize(SERVERS);
        assertThat(output()).contains("The file arrived identical.");

        signal("INT", demo.toHandle());
        servers.forEach(server -> signal("INT", server));
        assertEndsClean(servers);
        assertThat(demo.exitValue()).as("asked to end, it did").isZero();
    }

    /** By a signal to itself, as from {@code kill}. Moments of the start: nothing runs yet, the key is being made, some servers run, all do or the file is on its way. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void toldToEndWhileItStartsItLeavesNothingBehind(int processes) throws Exception {
        demo = demo(QUICK_START);
        Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(60))
                .until(() -> left().size() > 0 && demo.descendants().count() >= processes);
        List<ProcessHandle> started = demo.descendants().toList();
        signal("TERM", demo.toHandle());
        assertEndsClean(started);
    }

    private void assertEndsClean(List<ProcessHandle> servers) throws Exception {
        assertThat(demo.waitFor(20, TimeUnit.SECONDS)).as("ends when told to").isTrue();
        Awaitility.await().until(() -> servers.stream().noneMatch(ProcessHandle::isAlive));
        // A server that was started after the look at them would still hold its log open under the demo's directory.
        assertThat(left()).isEmpty();
        assertThat(ProcessHandle.allProcesses().filter(this::isOurs)).isEmpty();
        assertThat(errors()).doesNotContain("\tat ");
    }

    /** Every process of the demo has the directory for temporary files of this test on its command line. */
    private boolean isOurs(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(temporary.toString());
    }

    private Process demo(List<String> jvm, String... options) throws IOException {
        String[] arguments = Stream.concat(Stream.of("demo"), Stream.of(options)).toArray(String[]::new);
        // Who runs these tests in the background may have them ignore SIGINT, and a JVM that inherits that does too.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,TERM"));
        List<String> all = new ArrayList<>(jvm);
        all.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(CommandLineTool.command(all, arguments));
        return new ProcessBuilder(command)
                .redirectOutput(files.resolve("out").toFile()).redirectError(files.resolve("err").toFile()).start();
    }

    private static void signal(String name, ProcessHandle process) {
        Command.tryRun(List.of("kill", "-" + name, Long.toString(process.pid())), null, Duration.ofSeconds(10));
    }

    private String output() throws IOException {
        return Files.readString(files.resolve("out"));
    }

    private String errors() throws IOException {
        return Files.readString(files.resolve("err"));
    }

    /** What is in the directory for temporary files. */
    private List<Path> left() throws IOException {
        try (Stream<Path> left = Files.list(temporary)) {
            return left.toList();
        }
    }
}
