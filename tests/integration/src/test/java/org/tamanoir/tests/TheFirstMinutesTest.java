package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.Link;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.ConfigurationSource;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.settings.Settings;

/** What {@code init} writes starts as it stands, and {@code doctor} and {@code config} say what is wrong before a node does. */
@Timeout(120)
class TheFirstMinutesTest {
    @TempDir
    private Path directory;

    private record Answer(int exit, String text) {
        JsonNode json() throws Exception {
            return CommandLineTool.json(text);
        }
    }

    private static Answer run(String... arguments) {
        StringWriter out = new StringWriter();
        int exit = Tamanoir.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true)).execute(arguments);
        return new Answer(exit, out.toString());
    }

    private static List<String> of(JsonNode answer, String area, String state) {
        List<String> found = new ArrayList<>();
        answer.path("findings").forEach(each -> {
            if (each.path("area").asText().equals(area) && each.path("state").asText().equals(state)) {
                found.add(each.path("found").asText() + (each.has("remedy") ? " do: " + each.path("remedy").asText() : ""));
            }
        });
        return found;
    }

    /** Wrong: a node that does not start from what was written, keys that others can read, a directory that is overwritten. */
    @Test
    void aNodeStartsFromWhatInitWrites() throws Exception {
        Path site = directory.resolve("site");
        Answer made = run("init", site.toString(), "--listen", "127.0.0.1:0", "--name", "spiffe://example.org/node/a", "--route", "127.0.0.0/8=direct", "--json");
        assertThat(made.exit).as(made.text).isZero();
        assertThat(made.json().path("next").size()).isEqualTo(4);
        for (String secret : List.of("node.key", "publisher.p12", "publisher.password")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(site.resolve(secret)))).as(secret).isEqualTo("rw-------");
        }
        String configuration = site.resolve("node.yaml").toString();
        Answer check = run("config", "check", configuration);
        assertThat(check.exit).as(check.text).isZero();
        Path bundle = directory.resolve("forward.jar");
        Answer signed = run("service", "sign", Grid.bundle("forward").toString(), "--output", bundle.toString(), "--keystore", site.resolve("publisher.p12").toString(), "--alias",
                "publisher", "--password-file", site.resolve("publisher.password").toString());
        assertThat(signed.exit).as(signed.text).isZero();
        try (Node node = start(Path.of(configuration))) {
            Answer deployed = run("service", "deploy", bundle.toString(), "--node", node.adminUrl());
            assertThat(deployed.exit).as(deployed.text).isZero();
            JsonNode status = run("node", "status", "--node", node.adminUrl(), "--json").json();
            assertThat(status.path("trust").path("publishers").size()).isEqualTo(1);
            assertThat(of(run("doctor", "--config", configuration, "--json").json(), "ports", "ok")).containsExactly("the node runs and has its ports");
        }
        Answer again = run("init", site.toString());
        assertThat(again.exit).isEqualTo(2);
        assertThat(again.text).startsWith("EE-408").contains("is not empty");
        assertThat(Files.readString(site.resolve("node.yaml"))).as("as it was").contains("listen: '127.0.0.1:0'");
        Path beyond = directory.resolve("beyond");
        assertThat(run("init", beyond.toString(), "--listen", "192.0.2.1:3322").exit).isZero();
        assertThat(run("config", "show", beyond.resolve("node.yaml").toString()).text).as("programs on its machine").contains("tls.plain: [127.0.0.0/8, ::1, 192.0.2.1]");
        Answer bad = run("init", directory.resolve("bad").toString(), "--listen", "nowhere");
        assertThat(bad.exit).isEqualTo(2);
        assertThat(bad.text).startsWith("EE-501").contains("listen");
        assertThat(directory.resolve("bad")).doesNotExist();
    }

    /** Wrong: two nodes that do not believe each other, services that one of them does not run, and a file that something overwrites. */
    @Test
    void aFileGoesThroughTheTwoNodesThatInitWrites() throws Exception {
        Path sites = directory.resolve("sites");
        String first = "127.0.1.1:" + FreePort.on("127.0.1.1").getPort();
        String second = "127.0.2.1:" + FreePort.on("127.0.2.1").getPort();
        try (RepositoryServer repository = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("repository")))) {
            Answer made = run("init", "--two-sites", sites.toString(), "--repository", repository.url(), "--listen", first, "--network", "127.0.1.0/24", "--listen", second,
                    "--network", "127.0.2.0/24", "--json");
            assertThat(made.exit).as(made.text).isZero();
            for (String site : List.of("site-a", "site-b")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sites.resolve(site)))).as("a unit of systemd reads it").isEqualTo("rwxr-xr-x");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sites.resolve(site).resolve("node.key")))).isEqualTo("rw-------");
            }
            try (Node a = start(sites.resolve("site-a/node.yaml")); Node b = start(sites.resolve("site-b/node.yaml"))) {
                Answer pushed = run("service", "push", "--repository", repository.url(), "--keystore", sites.resolve("publisher.p12").toString(), Grid.bundle("monitoring").toString());
                assertThat(pushed.exit).as(pushed.text).isZero();
                byte[] sent = new byte[300_000];
                new Random(20).nextBytes(sent);
                Path file = Files.write(directory.resolve("file"), sent);
                try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress("127.0.2.9", 0)))) {
                    CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> allOf(receiver));
                    Answer sending = run("send", "--via", first, "--to", "127.0.2.9:" + receiver.address().getPort(), "--service", "monitoring", file.toString());
                    assertThat(sending.exit).as(sending.text).isZero();
                    assertThat(Arrays.equals(received.get(60, TimeUnit.SECONDS), sent)).isTrue();
                }
                JsonNode service = run("node", "services", "--node", b.adminUrl(), "--json").json().path("services").path(0);
                assertThat(service.path("source").asText()).as("%s", service).startsWith("node 127.0.1.1:");
                assertThat(a.adminUrl()).isNotEqualTo(b.adminUrl());
            }
        }
        Answer again = run("init", "--two-sites", sites.toString());
        assertThat(again.exit).isEqualTo(2);
        assertThat(again.text).startsWith("EE-408").contains("site-a is there");
        assertThat(run("init", "--two-sites", directory.resolve("other").toString(), "--listen", first).exit).as("half of what it needs").isEqualTo(2);
        assertThat(directory.resolve("other")).doesNotExist();
    }

    /** Wrong: addresses that only one machine has, and a node that another machine speaks with in the clear. */
    @Test
    @Tag("lab")
    @Tag("sweep")
    void soItDoesBetweenTwoMachinesInBothDirections() throws Exception {
        try (Lab lab = Lab.open()) {
            Host a = lab.host("a");
            Host b = lab.host("b");
            Link link = lab.link(a, b);
            String first = link.first().ipv4().getHostAddress();
            String second = link.second().ipv4().getHostAddress();
            String sites = directory.resolve("sites").toString();
            Answer made = run("init", "--two-sites", sites, "--listen", first + ":3322", "--network", first + "/32", "--listen", second + ":3322", "--network", second + "/32");
            assertThat(made.exit).as(made.text).isZero();
            start(a, "repository", "run", "--data", sites + "/repository", "--trust", sites + "/publishers.pem");
            start(a, "node", "run", "--config", sites + "/site-a/node.yaml");
            start(b, "node", "run", "--config", sites + "/site-b/node.yaml");
            a.run(CommandLineTool.command("service", "push", "--keystore", sites + "/publisher.p12", Grid.bundle("monitoring").toString()).toArray(String[]::new));
            Path file = Files.write(directory.resolve("file"), new byte[1_000_000]);
            send(a, first, b, second, file);
            send(b, second, a, first, file);
            Command.Result refused = a.tryRun(CommandLineTool.PATIENCE, CommandLineTool.command("send", "--via", second + ":3322", "--to", second + ":7000", "--service", "monitoring",
                    file.toString()).toArray(String[]::new));
            assertThat(refused.errors()).contains("EE-214");
            assertThat(run("node", "services", "--node", "unix:" + sites + "/site-b/data/admin.sock").text).contains("node " + first + ":3324");
        }
    }

    private static LabProcess start(Host host, String... command) {
        LabProcess started = host.start(command[0], CommandLineTool.command(command));
        started.awaitLine("READY ", CommandLineTool.PATIENCE);
        return started;
    }

    private void send(Host from, String node, Host to, String address, Path file) throws Exception {
        Path received = directory.resolve("received-at-" + to.name());
        LabProcess receiver = start(to, "receive", "--listen", address + ":7000", "--output", received.toString());
        from.run(CommandLineTool.command("send", "--via", node + ":3322", "--to", address + ":7000", "--service", "monitoring", file.toString()).toArray(String[]::new));
        receiver.awaitExit(CommandLineTool.PATIENCE);
        assertThat(Files.mismatch(file, received)).isEqualTo(-1);
    }

    /** What the first stream brings. */
    private static byte[] allOf(TamanoirReceiver receiver) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (IncomingStream stream = receiver.accept()) {
            for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
                payload.readBytes(all, payload.readableBytes());
                payload.release();
            }
            stream.finish();
            return all.toByteArray();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Wrong: a terminal on which nothing happens for seconds, and lines for a person in the log of a script. */
    @Test
    void aCommandThatTakesLongSaysWhatItIsAtOnATerminalAlone() throws Exception {
        String bundle = Grid.bundle("forward").toString();
        Path pipe = directory.resolve("said");
        try (ServerSocket silent = new ServerSocket(0, 2, InetAddress.getByName("127.0.0.1"))) {
            List<String> push = CommandLineTool.command("service", "push", "--repository", "http://127.0.0.1:" + silent.getLocalPort(), bundle);
            String quoted = push.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
            Process piped = new ProcessBuilder(push).redirectErrorStream(true).redirectOutput(pipe.toFile()).start();
            Process typed = new ProcessBuilder("script", "-qefc", quoted, "/dev/null").redirectErrorStream(true).start();
            try (Socket first = silent.accept(); Socket second = silent.accept()) {
                assertThat(first.isConnected() && second.isConnected()).isTrue();
                // The second line or a later one: beside much else a second may go by without a line.
                Pattern step = Pattern.compile(Pattern.quote(bundle + ", 1 of 1, ") + "([3-9]|\\d\\d) s");
                StringBuilder said = new StringBuilder();
                while (!step.matcher(said).find()) {
                    int next = typed.getInputStream().read();
                    assertThat(next).as("%s", said).isNotNegative();
                    said.append((char) next);
                }
            } finally {
                typed.destroy();
                piped.destroy();
            }
            assertThat(Files.readString(pipe)).isEmpty();
        }
    }

    private static Node start(Path configuration) {
        return Node.start(new ConfigurationSource(configuration, () -> Settings.of(configuration)));
    }

    /** Wrong: something that would stop the node, or its streams, and is not said; or said without what to do. */
    @Test
    void theDoctorSaysWhatIsWrongAndWhatToDo() throws Exception {
        try (Socket bound = new Socket(); ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            int nobody = bound.getLocalPort();
            Path file = Files.writeString(directory.resolve("node.yaml"), """
                    listen: 127.0.0.1:%d
                    code: none
                    data: /proc/nowhere
                    trust: %s
                    repositories: [http://127.0.0.1:%d]
                    routes: {198.51.100.0/24: "127.0.0.1:%d"}
                    """.formatted(taken.getLocalPort(), directory.resolve("publishers.pem"), nobody, nobody));
            Answer answer = run("doctor", "--config", file.toString(), "--json");
            assertThat(answer.exit).isEqualTo(1);
            JsonNode json = answer.json();
            assertThat(json.path("state").asText()).isEqualTo("wrong");
            assertThat(of(json, "ports", "wrong")).hasSize(1).first().asString().contains(":" + taken.getLocalPort() + "/tcp", "do: ", "ss -lnp");
            assertThat(of(json, "disk", "wrong")).hasSize(1).first().asString().contains("/proc/nowhere", "do: ");
            assertThat(of(json, "trust", "wrong")).hasSize(1).first().asString().contains("publishers.pem", "do: ");
            assertThat(of(json, "neighbours", "wrong")).hasSize(1).first().asString().contains("next hop 127.0.0.1:" + nobody, "EE-204");
            assertThat(of(json, "neighbours", "warn")).hasSize(1).first().asString().contains("repository", "do: ");
            assertThat(json.path("findings").findValuesAsText("area")).contains("java", "clock", "kernel", "limits");
            Answer check = run("config", "check", file.toString());
            assertThat(check.exit).isEqualTo(1);
            assertThat(check.text).contains("wrong  trust", "would not do");
        }
        Path broken = Files.writeString(directory.resolve("broken.yaml"), "development: true\nlimits:\n  streamz: 5\n");
        for (String[] command : new String[][] {{"config", "check", broken.toString()}, {"config", "show", broken.toString()}, {"doctor", "--config", broken.toString()}}) {
            Answer answer = run(command);
            assertThat(answer.exit).as(command[0]).isEqualTo(2);
            assertThat(answer.text).startsWith("EE-501").contains("limits.streamz", "line 3");
        }
    }

    /** Wrong: a value that does not hold, or the wrong line of the file. */
    @Test
    void configShowsEachValueAndWhereItIsFrom() throws Exception {
        Path file = Files.writeString(directory.resolve("node.yaml"), "development: true\n\nlimits:\n  hops: 7\nroutes:\n  10.0.0.0/8: direct\n");
        Answer answer = run("config", "show", "--origin", file.toString());
        assertThat(answer.exit).as(answer.text).isZero();
        assertThat(answer.text.lines().map(line -> line.replaceAll(" +", " "))).contains("limits.hops node.yaml:4 7", "routes node.yaml:5 {10.0.0.0/8: direct}",
                "development node.yaml:1 true", "drain default 10s", "listen default 127.0.0.1:3322", "code default auto", "tls default none");
        assertThat(run("config", "show", file.toString()).text.lines()).contains("limits.hops: 7", "io: epoll");
    }
}
