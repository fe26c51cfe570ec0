package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.PostgresServer;

/** A queue and two movers as processes; SIGKILL takes the queue and a mover in the middle. */
@Tag("long")
@Tag("seeded")
@Timeout(240)
class ATransferIsDoneTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OCTETS = 40_000_000;

    @TempDir
    private Path directory;
    private Path here;
    private Path far;
    private final int[] ports = new int[4];
    private final List<LabProcess> processes = new ArrayList<>();
    private LabProcess destination;
    private LabProcess queue;
    private HttpFetch api;

    @BeforeEach
    void start() throws IOException {
        here = Files.createDirectories(directory.resolve("here/run/sub")).getParent();
        far = Files.createDirectory(directory.resolve("far"));
        Random random = new Random(1);
        byte[] octets = new byte[OCTETS];
        random.nextBytes(octets);
        Files.write(here.resolve("large"), octets);
        for (int i = 0; i < 20; i++) {
            Files.write(here.resolve("sub/small" + i), new byte[random.nextInt(100_000)]);
        }
        Files.writeString(directory.resolve("token"), "secret\n");
        for (int i = 0; i < ports.length; i++) {
            ports[i] = FreePort.onLoopback();
        }
        server("mover", "mover", "run", "--listen", "127.0.0.1:" + ports[0], "--root", directory.resolve("here").toString(), "--read-only", "--token-file", directory.resolve("token").toString());
        startDestination();
        startQueue();
    }

    private LabProcess server(String name, String... command) {
        LabProcess process = LabProcess.start(name, CommandLineTool.command(command));
        processes.add(process);
        process.awaitLine("READY ", PATIENCE);
        return process;
    }

    private void startDestination() {
        destination = server("destination", "mover", "run", "--listen", "127.0.0.1:" + ports[1], "--root", far.toString(), "--token-file", directory.resolve("token").toString(), "--status",
                "127.0.0.1:" + ports[3]);
    }

    private void startQueue() {
        startQueue("--data", directory.resolve("queue").toString());
    }

    private void startQueue(String... where) {
        queue = server("queue", Stream.concat(queueCommand(ports[2]), Stream.of(where)).toArray(String[]::new));
        api = HttpFetch.of("http://127.0.0.1:" + ports[2], ErrorCode.NO_QUEUE);
    }

    private Stream<String> queueCommand(int port) {
        return Stream.of("transfer", "run", "--listen", "127.0.0.1:" + port, "--mover-token-file", directory.resolve("token").toString(),
                "--site", "1", "--retry", "1s", "--records", directory.resolve("records").toString());
    }

    @AfterEach
    void stop() {
        processes.forEach(LabProcess::close);
    }

    private Command.Result transfer(int exit, String... arguments) {
        List<String> all = new ArrayList<>(List.of("transfer"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--queue", "127.0.0.1:" + ports[2]));
        Command.Result result = CommandLineTool.here(all.toArray(String[]::new));
        assertThat(result.exit()).as("%s: %s %s", all, result.output(), result.errors()).isEqualTo(exit);
        return result;
    }

    private String from() {
        return "tam://127.0.0.1:" + ports[0] + "/run";
    }

    private String to(String path) {
        return "tam://127.0.0.1:" + ports[1] + "/" + path;
    }

    private JsonNode show(String id) {
        return api.json("/transfers/" + id);
    }

    private String why(String id) {
        return api.json("/transfers/" + id + "/why").path("why").toString();
    }

    /** As the command does, and sooner. */
    private String submit(String path) throws IOException {
        return submit(api, path);
    }

    private String submit(HttpFetch queue, String path) throws IOException {
        return queue.post("/transfers", CommandLineTool.json("{\"request\":{\"sources\":[\"" + from() + "\"],\"destination\":\"" + to(path)
                + "\",\"streams\":2,\"extent\":1048576},\"anyway\":false}")).path("id").asText();
    }

    private void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    private void isWhole(String path) throws IOException {
        assertThat(Files.mismatch(here.resolve("large"), far.resolve(path).resolve("large"))).isEqualTo(-1);
        for (int i = 0; i < 20; i++) {
            assertThat(Files.mismatch(here.resolve("sub/small" + i), far.resolve(path).resolve("sub/small" + i))).isEqualTo(-1);
        }
    }

    private static long written(LabProcess process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/io")).stream().filter(line -> line.startsWith("wchar:")).mapToLong(line -> Long.parseLong(line.substring(7))).sum();
    }

    /**
     * Wrong: an id that is printed before it is kept, a transfer that a queue or a mover takes with it, one that begins anew, octets that pass by the queue, a second one
     * to the same name that writes beside the first, a bound that is passed, and a reason that nobody can read.
     */
    @Test
    void whoeverIsKilled() throws Exception {
        assertThat(transfer(0, "submit", "--rate", "24M", "--steady", "--extent", "1M", from(), to("in")).output()).isEqualTo("t-1");
        until(() -> show("t-1").path("progress").path("moved").asLong() > 2_000_000);
        assertThat(submit("in")).isEqualTo("t-2");
        assertThat(why("t-2")).contains("waits for t-1, which writes to the same place");
        submit("other");
        assertThat(why("t-3")).contains("waits for the bound of the site 127.0.0.1").contains("t-1");
        assertThat(transfer(0, "why", "t-3").output()).contains("t-3 is queued").contains("waits for the bound of the site 127.0.0.1");

        queue.kill();
        HttpFetch mover = HttpFetch.of("http://127.0.0.1:" + ports[3], ErrorCode.UNREACHABLE);
        until(() -> mover.json("/status").path("fetches").asInt() == 0);
        assertThat(far.resolve("in/large")).doesNotExist();
        assertThat(far.resolve("in/.tamanoir-large.journal")).exists();
        startQueue();
        until(() -> show("t-1").path("progress").path("moved").asLong() > 2_000_000);
        assertThat(show("t-1").path("progress").path("resumed").asLong()).as("goes on").isGreaterThan(1_000_000);
        assertThat(transfer(0, "list").output()).contains("t-1").contains("t-2").contains("t-3").contains("running").contains("queued");

        destination.kill();
        startDestination();
        api.delete("/transfers/t-3");
        assertThat(transfer(4, "cancel", "t-3").errors()).contains("EE-758");
        until(() -> show("t-2").path("state").asText().equals("done"));
        JsonNode done = show("t-1");
        assertThat(done.path("state").asText()).isEqualTo("done");
        assertThat(done.path("report").path("failures").asInt()).isZero();
        assertThat(show("t-2").path("report").path("present").asInt()).isEqualTo(21);
        isWhole("in");
        assertThat(far.resolve("other")).doesNotExist();
        assertThat(written(queue)).as("octets that the queue has written anywhere").isLessThan(OCTETS / 10);
        assertThat(transfer(0, "show", "t-1").output()).contains("the queue was ended meanwhile").contains("files copied").doesNotContain("EE-7");
        assertThat(Files.readAllLines(directory.resolve("records"))).hasSize(3).anySatisfy(line -> assertThat(line).contains("\"id\":\"t-1\"", "\"state\":\"done\""));
        String metrics = new String(api.bytes("/metrics", 100_000));
        PrometheusServer.check(metrics);
        PrometheusServer.check(new String(HttpFetch.of("127.0.0.1:" + ports[3], ErrorCode.UNREACHABLE).bytes("/metrics", 100_000)));
        assertThat(metrics).contains("tamanoir_transfers{state=\"done\"} 2").contains("tamanoir_transfers{state=\"cancelled\"} 1");
    }

    /**
     * Wrong: two queues on one database, one that has lost it and goes on to write there, a transfer that is lost with the machine of its queue or while the database is
     * away, and one that begins anew. EE-783.
     */
    @Test
    void anotherMachineGoesOnWithTheQueueOfADatabase() throws Exception {
        String missing = PostgresServer.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        queue.end();
        try (PostgresServer postgres = new PostgresServer("127.0.0.1"); Connection connection = DriverManager.getConnection(postgres.url()); Statement sql = connection.createStatement()) {
            startQueue("--database", postgres.url());
            HttpFetch first = api;
            LabProcess cutOff = queue;
            assertThat(transfer(0, "submit", "--rate", "24M", "--steady", "--extent", "1M", from(), to("in")).output()).isEqualTo("t-1");
            until(() -> show("t-1").path("progress").path("moved").asLong() > 2_000_000);
            // The first is frozen and cut off from the database, and does not know it when it goes on; the second takes the queue over meanwhile.
            Command.run(List.of("kill", "-STOP", Long.toString(cutOff.pid())));
            sql.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
            ports[2] = FreePort.onLoopback();
            startQueue("--database", postgres.url());
            Command.run(List.of("kill", "-CONT", Long.toString(cutOff.pid())));
            assertThatThrownBy(() -> submit(first, "other")).hasMessageContaining("EE-783").hasMessageContaining("another queue");
            until(() -> show("t-1").path("progress").path("moved").asLong() > 2_000_000);
            assertThat(show("t-1").path("progress").path("resumed").asLong()).as("goes on").isGreaterThan(1_000_000);
            cutOff.kill();

            postgres.kill();
            assertThat(transfer(5, "submit", from(), to("other")).errors()).contains("EE-783");
            until(() -> show("t-1").path("state").asText().equals("done"));
            isWhole("in");
            assertThat(far.resolve("other")).doesNotExist();
            postgres.again();
            // A connection that the queue asks for may still fall into the start of the database.
            await().ignoreExceptions().untilAsserted(() -> assertThat(transfer(0, "submit", from(), to("third")).output()).isEqualTo("t-2"));
            until(() -> show("t-2").path("state").asText().equals("done"));
            queue.kill();
            startQueue("--database", postgres.url());
            assertThat(show("t-1").path("report").path("failures").asInt(-1)).isZero();
            assertThat(transfer(0, "list").output()).contains("t-1").contains("t-2").doesNotContain("queued");
        }
    }

    /** Wrong: a source that is not there taken for later, a time that cannot be met taken without a word, and one that can refused. EE-755, EE-756, EE-758, EE-759. */
    @Test
    void whatCannotBeMetIsSaidAtOnce() throws Exception {
        assertThat(transfer(3, "submit", from() + "/none", to("in")).errors()).contains("EE-407");
        assertThat(transfer(0, "submit", "--by", "1h", from(), to("first")).errors()).contains("nothing can be forecast");
        until(() -> show("t-1").path("state").asText().equals("done"));
        assertThat(transfer(4, "submit", "--rate", "900G", from(), to("second")).errors()).contains("EE-756").contains("cannot be met").contains(" MB at ").contains("1 transfer from 127.0.0.1 to 127.0.0.1");
        assertThat(transfer(0, "submit", "--by", "2h", from(), to("second")).errors()).contains("in time in 100 of 100");
        assertThat(transfer(0, "submit", "--rate", "900G", "--anyway", from(), to("third")).errors()).contains("not promised");
        until(() -> show("t-3").path("state").asText().equals("done"));
        isWhole("second");
        isWhole("third");
        assertThat(transfer(3, "why", "t-9").errors()).contains("EE-755");
        assertThat(transfer(4, "cancel", "t-1").errors()).contains("EE-758");
        queue.end();
        assertThat(transfer(5, "list").errors()).contains("EE-759");
    }
}
