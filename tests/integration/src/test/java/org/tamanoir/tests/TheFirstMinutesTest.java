package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.node.Node;
import org.tamanoir.node.manage.configuration.NodeConfiguration;

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
        assertThat(made.json().path("next").size()).isEqualTo(5);
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
        try (Node node = Node.start(NodeConfiguration.read(Path.of(configuration)), Path.of(configuration), () -> NodeConfiguration.read(Path.of(configuration)))) {
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
        Answer bad = run("init", directory.resolve("bad").toString(), "--listen", "nowhere");
        assertThat(bad.exit).isEqualTo(2);
        assertThat(bad.text).startsWith("EE-501").contains("listen");
        assertThat(directory.resolve("bad")).doesNotExist();
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
