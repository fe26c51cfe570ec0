package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Delivery;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.node.Node;

/** The launcher answers questions by a small program in C, and by Java if that does not know: what they print is the same to the octet. */
@Timeout(90)
class AQuestionNeedsNoJavaTest {
    private static final int NOT_MINE = 125;
    private static final List<List<String>> QUESTIONS = List.of(List.of("node", "status"), List.of("node", "services"), List.of("node", "streams"),
            List.of("node", "streams", "--ended"), List.of("node", "streams", "1"), List.of("node", "links"), List.of("node", "routes"), List.of("node", "rules"),
            List.of("node", "pins"), List.of("node", "events"));

    @TempDir
    private Path directory;

    private record Answer(int exit, String text) {
    }

    private Answer ask(Map<String, String> environment, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(CommandLineTool.checkout().resolve("distribution/target/app/ask").toString(), directory.toString(),
                directory.resolve("release").toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("TAMANOIR_TOKEN");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Answer(process.exitValue(), text);
    }

    private Answer ask(List<String> arguments) throws IOException, InterruptedException {
        return ask(Map.of(), arguments);
    }

    private static Answer java(List<String> arguments) {
        StringWriter out = new StringWriter();
        int exit = Tamanoir.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true)).execute(arguments.toArray(String[]::new));
        return new Answer(exit, out.toString());
    }

    private static List<String> with(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(Arrays.asList(more));
        return all;
    }

    /** Without numbers, of which many are others at the second question, and the width of their columns. */
    private static Answer timeless(Answer answer) {
        return new Answer(answer.exit, answer.text.replaceAll("[0-9]+(\\.[0-9]+)?", "N").replaceAll("N (ms|s|min)\\b", "TIME").replaceAll(" +", " "));
    }

    /** Wrong: a view or a form of JSON that is not that of the command, also with texts of strangers in it. */
    @Test
    void printsWhatTheCommandPrints() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            Node node = grid.node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", "direct", "198.51.100.0/24", "203.0.113.7:3322"))
                    .set("rules", List.of(Map.of("name", "counted", "match", Map.of("type", "0x5599"), "actions", List.of("count")))));
            try (AnepPeer peer = new AnepPeer(node.address()); TcpServer server = TcpServer.idle()) {
                peer.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to(server.port(), Delivery.RAW)));
                peer.send(AnepPeer.data(Grid.FORWARD, "hello".getBytes(US_ASCII))).finish();
                assertThat(server.next().getInputStream().readAllBytes()).asString().isEqualTo("hello");
                try (AnepPeer refused = new AnepPeer(node.address())) {
                    refused.send(AnepPeer.opening(Grid.FORWARD, AnepPeer.to("192.0.2.7", server.port(), Delivery.RAW)));
                    await().until(() -> java(List.of("node", "events", "--node", node.adminUrl())).text.contains("EE-202"));
                }
                assertThat(java(List.of("node", "events", "--node", node.adminUrl())).text).contains("service  forward", "is active", "  stream   2 from 127.0.0.1:", "EE-202 no route of this node leads to 192.0.2.7");
                for (List<String> question : QUESTIONS) {
                    for (String url : List.of(node.adminUrl(), node.adminUrl().substring("http://".length()),
                            "unix:" + grid.directory().resolve("node0/admin.sock"))) {
                        List<String> asked = with(question, "--node", url);
                        assertThat(timeless(ask(asked))).as("%s", asked).isEqualTo(timeless(java(asked)));
                    }
                    List<String> asked = with(question, "--json", "--node=" + node.adminUrl());
                    assertThat(timeless(ask(asked))).as("%s", asked).isEqualTo(timeless(java(asked)));
                }
            }
            for (List<String> question : List.of(List.of("service", "list"), List.of("service", "show", "forward"), List.of("service", "list", "--json"))) {
                List<String> asked = with(question, "--repository", grid.repository().url());
                assertThat(ask(asked)).as("%s", asked).isEqualTo(java(asked));
            }
        }
    }

    /** The commonest mistake must not take the start of a JVM either. */
    @Test
    void saysAtOnceThatNobodyListens() throws Exception {
        Path stale = directory.resolve("stale.sock");
        try (ServerSocketChannel gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            gone.bind(UnixDomainSocketAddress.of(stale));
        }
        for (List<String> asked : List.of(List.of("node", "status", "--node", "unix:" + directory.resolve("nobody.sock")), List.of("node", "routes", "--json", "--node", "unix:" + stale),
                List.of("node", "status", "--node", "127.0.0.1:1"), List.of("node", "events", "--node", "http://127.0.0.1:1/"), List.of("service", "list", "--repository", "127.0.0.1:1"))) {
            assertThat(ask(asked)).as("%s", asked).isEqualTo(java(asked));
            assertThat(ask(asked).exit).isEqualTo(5);
        }
    }

    /** Wrong: an answer to what it does not know, or an error that reads otherwise than that of the command. */
    @Test
    void leavesToJavaWhatItDoesNotKnow() throws Exception {
        try (Grid grid = new Grid()) {
            String node = grid.node().adminUrl();
            for (List<String> asked : List.of(List.of("node", "streams", "99", "--node", node), List.of("node", "status", "--node", node, "--colour"),
                    List.of("node", "status", "--node", node, "--node", node), List.of("node", "status", "--node", node.replace("http", "https")),
                    List.of("node", "access", "--node", node), List.of("node", "routes", "--put", "10.0.0.0/8=direct", "--node", node),
                    List.of("node", "status", "--node", "unix:" + directory.resolve("../nobody.sock")), List.of("node", "status", "--node", "no-such-host.invalid:1"),
                    List.of("node", "status", "--token-file", directory.resolve("none").toString(), "--node", node), List.of("node"), List.of("demo"),
                    List.of("node", "status", "--node", node + "/a?b"), List.of("service", "show"), List.of("service", "show", "../x"))) {
                assertThat(ask(asked)).as("%s", asked).isEqualTo(new Answer(NOT_MINE, ""));
            }
            assertThat(ask(Map.of("TAMANOIR_TOKEN", " "), List.of("node", "status", "--node", node)).exit).as("a token that is blank").isEqualTo(NOT_MINE);
        }
        for (String answer : List.of("", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nno length",
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\ncut", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n\u00ff\u00fe", "HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno")) {
            assertThat(askServerThatSays(answer)).as(answer).isEqualTo(new Answer(NOT_MINE, ""));
        }
        assertThat(askServerThatSays("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\na\u001b[31mb\u0007\u009b\u00c2\u0085\nc").text)
                .as("what is no UTF-8").isEmpty();
        assertThat(askServerThatSays("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\na\u001b[31mb\u0007\u00c2\u0085\n").text)
                .as("what a terminal would obey").isEqualTo("a?[31mb??\n");
        String star = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n\u00c3\u00a9\n";
        assertThat(askServerThatSays(star).text).isEqualTo("é\n");
        assertThat(askServerThatSays(star, Map.of("LC_ALL", "C")).text).as("as Java writes it where the locale has no such letter").isEqualTo("?\n");
    }

    private Answer askServerThatSays(String octets) throws Exception {
        return askServerThatSays(octets, Map.of());
    }

    private Answer askServerThatSays(String octets, Map<String, String> environment) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(30_000);
            Grid.async(() -> {
                try (Socket socket = server.accept(); OutputStream out = socket.getOutputStream(); InputStream in = socket.getInputStream()) {
                    in.read(new byte[4096]);
                    out.write(octets.getBytes(ISO_8859_1));
                    socket.shutdownOutput();
                    in.readAllBytes();
                } catch (IOException e) {
                    // The program has seen enough.
                }
            });
            return ask(environment, List.of("node", "status", "--node", "127.0.0.1:" + server.getLocalPort()));
        }
    }

    /** Wrong: the version of a Java that has been replaced since. */
    @Test
    void printsTextsOfTheRehearsalWhileTheyAreTrue() throws Exception {
        Files.writeString(directory.resolve("tamanoir-node-status.txt"), "Usage: of status\n");
        Files.writeString(directory.resolve("version.txt"), "tamanoir 1.2.3, Java 17.0.1+2\n");
        Files.writeString(directory.resolve("release"), "JAVA_VERSION=\"17.0.1\"\nJAVA_RUNTIME_VERSION=\"17.0.1+2\"\n");
        assertThat(ask(List.of("node", "status", "--help"))).isEqualTo(new Answer(0, "Usage: of status\n"));
        assertThat(ask(List.of("--version"))).isEqualTo(new Answer(0, "tamanoir 1.2.3, Java 17.0.1+2\n"));
        Files.writeString(directory.resolve("release"), "JAVA_RUNTIME_VERSION=\"17.0.1+3\"\n");
        for (List<String> asked : List.of(List.of("--version"), List.of("node", "--help"), List.of("..", "x", "--help"), List.<String>of())) {
            assertThat(ask(asked)).as("%s", asked).isEqualTo(new Answer(NOT_MINE, ""));
        }
    }
}
