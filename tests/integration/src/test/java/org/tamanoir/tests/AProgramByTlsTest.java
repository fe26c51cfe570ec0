package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Command;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;

/** Programs that reach their first node by TLS: what they send is whole, its ends mean what they meant, and each knows whom it speaks with. */
@Tag("long")
class AProgramByTlsTest {
    private static final String NODE = "spiffe://example.org/node/a";
    private static final String PROGRAM = "spiffe://example.org/program";
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);

    @TempDir
    private Path directory;
    private Grid grid;
    private Authority authority;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        authority = new Authority(directory, "ca");
    }

    @AfterEach
    void stop() throws IOException {
        grid.close();
    }

    /** A node that lets nobody in without TLS. */
    private Node node(String names, String clients) {
        Identity.Files files = authority.certify("node", names, 20);
        return grid.node(configuration -> tls(configuration, files, clients));
    }

    private static Settings tls(Settings configuration, Identity.Files files, String clients) {
        return configuration.set("tls.certificate", files.certificate().toString()).set("tls.key", files.key().toString())
                .set("tls.authorities", files.authorities().toString()).set("tls.clients", clients).set("tls.plain", List.of());
    }

    private static StreamRequest request(Node node, ServerSocket server) {
        return new StreamRequest().via(new NodeAddress(node.address(), true)).to((InetSocketAddress) server.getLocalSocketAddress()).services("monitoring")
                .delivery(Delivery.RAW);
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    private static byte[] random(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20_000_000})
    void whatTheLibrarySendsArrivesWholeBothWaysAndItsHalvesEndApart(int length) throws Exception {
        Node node = node("URI:" + NODE, "required");
        byte[] sent = random(length);
        try (Identity identity = new Identity(authority.certify("program", "URI:" + PROGRAM, 20)); ServerSocket server = server();
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(identity, NODE::equals)); ClientStream stream = client.open(request(node, server))) {
            CompletableFuture<Void> sending = Grid.async(() -> send(stream, sent));
            try (Socket arrived = server.accept()) {
                assertThat(arrived.getInputStream().readNBytes(length)).isEqualTo(sent);
                assertThat(arrived.getInputStream().read()).as("the program has finished").isEqualTo(-1);
                CompletableFuture<Void> answering = Grid.async(() -> answer(arrived, sent));
                assertThat(receive(stream)).isEqualTo(sent);
                answering.join();
            }
            sending.join();
        }
        new NodeView(node).awaitStreams(0);
        assertThat(new NodeView(node).errors()).isZero();
    }

    private static void send(ClientStream stream, byte[] octets) {
        try {
            stream.send(Unpooled.wrappedBuffer(octets));
            stream.finish();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket to, byte[] octets) {
        write(to, octets);
        try {
            to.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Socket to, byte[] octets) {
        try {
            to.getOutputStream().write(octets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] receive(ClientStream stream) throws InterruptedException {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
            all.writeBytes(payload);
            payload.release();
        }
        byte[] octets = new byte[all.readableBytes()];
        all.readBytes(octets);
        return octets;
    }

    @Test
    void aStreamThatIsGivenUpDoesNotLookLikeOneThatHasEnded() throws Exception {
        Node node = node("URI:" + NODE, "required");
        try (Identity identity = new Identity(authority.certify("program", "URI:" + PROGRAM, 20)); ServerSocket server = server();
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(identity, NODE::equals))) {
            ClientStream stream = client.open(request(node, server));
            stream.send(Unpooled.wrappedBuffer(random(5)));
            try (Socket arrived = server.accept()) {
                arrived.setSoTimeout(10_000);
                assertThat(arrived.getInputStream().readNBytes(5)).isEqualTo(random(5));
                stream.close();
                assertThatThrownBy(() -> arrived.getInputStream().read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
            }
        }
    }

    /** Somebody between the program and its node can end both TCP connections; only the two ends can say that a stream is over. */
    @Test
    void anEndThatSomebodyOnTheWayMakesIsNoGoodEnd() throws Exception {
        Node node = node("URI:" + NODE, "required");
        try (Identity identity = new Identity(authority.certify("program", "URI:" + PROGRAM, 20)); ServerSocket server = server(); ServerSocket between = server();
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(identity, NODE::equals))) {
            List<Socket> both = new ArrayList<>();
            CompletableFuture<Void> passing = Grid.async(() -> pass(between, node, both));
            ClientStream stream = client.open(request(node, server).via(new NodeAddress((InetSocketAddress) between.getLocalSocketAddress(), true)));
            stream.send(Unpooled.wrappedBuffer(random(5)));
            try (Socket arrived = server.accept()) {
                arrived.setSoTimeout(10_000);
                assertThat(arrived.getInputStream().readNBytes(5)).isEqualTo(random(5));
                passing.join();
                both.get(0).shutdownOutput();
                both.get(1).shutdownOutput();
                assertThatThrownBy(() -> arrived.getInputStream().read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
                assertThatThrownBy(() -> receive(stream)).hasMessageStartingWith("EE-211");
            }
        }
    }

    /** Two sockets, and threads that pass what comes; ended by the test. */
    private static void pass(ServerSocket between, Node node, List<Socket> both) {
        try {
            Socket program = between.accept();
            Socket onward = new Socket(node.address().getAddress(), node.address().getPort());
            both.add(program);
            both.add(onward);
            Grid.async(() -> copy(program, onward));
            Grid.async(() -> copy(onward, program));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The test has cut it.
        }
    }

    /** What is wrong, by what {@code send} is told and what it does about it. */
    @Test
    void sendSaysWhoIsNotWhoTheyShouldBe() throws Exception {
        Node node = node("URI:" + NODE + ",DNS:localhost", "required");
        Node plain = grid.node();
        Identity.Files good = authority.certify("program", "URI:" + PROGRAM, 20);
        Identity.Files old = authority.certify("old", "URI:" + PROGRAM, -1);
        Authority strangers = new Authority(directory, "strangers");
        Identity.Files unknown = strangers.certify("unknown", "URI:" + PROGRAM, 20);
        Path file = Files.write(directory.resolve("file"), random(3_000_000));
        String at = "127.0.0.1:" + node.address().getPort();
        String ca = authority.certificate().toString();
        try (TcpServer sink = new TcpServer(socket -> {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            socket.close();
        })) {
            Sent send = new Sent(sink.port(), file);
            send.with("tls://" + at, good, ca, "--expect", NODE).ends(ExitCode.DONE, "sent 3000000 octets");
            send.with("tls://localhost:" + node.address().getPort(), good, ca).ends(ExitCode.DONE, "sent 3000000 octets");
            send.with("tls://" + at, good, ca).ends(ExitCode.REFUSED, "EE-215 no TLS with " + at);
            send.with("tls://" + at, good, ca, "--expect", NODE + "2").ends(ExitCode.REFUSED, "EE-215 no TLS with " + at);
            send.with("tls://" + at, good, strangers.certificate().toString(), "--expect", NODE).ends(ExitCode.REFUSED, "EE-215 no TLS with " + at);
            send.with("tls://" + at, good, null).ends(ExitCode.REFUSED, "EE-215 no TLS with " + at);
            send.with("tls://" + at, old, ca, "--expect", NODE).ends(ExitCode.REFUSED, "EE-215");
            send.with("tls://" + at, unknown, ca, "--expect", NODE).ends(ExitCode.REFUSED, "EE-215");
            send.with("tls://" + at, null, ca, "--expect", NODE).ends(ExitCode.REFUSED, "EE-215");
            send.with(at, null, null).ends(ExitCode.REFUSED, "EE-214");
            send.with("tls://127.0.0.1:" + plain.address().getPort(), good, ca, "--expect", NODE).ends(ExitCode.REFUSED, "it answers without TLS");
            send.with("tls://" + at, new Identity.Files(good.certificate(), unknown.key(), null, null), ca).ends(ExitCode.USAGE, "EE-501 " + unknown.key());
            send.with(at, good, ca).ends(ExitCode.USAGE, "--via tls://");
            send.with("tls://" + at, good, ca, "--udp").ends(ExitCode.USAGE, "EE-408 datagrams have no TLS");
        }
        new NodeView(node).awaitStreams(0);
        assertThat(new NodeView(node).status().path("streamsOpened").asInt()).isEqualTo(2);
    }

    /** {@code send} with the certificates of somebody. */
    private record Sent(int port, Path file, Command.Result result) {
        Sent(int port, Path file) {
            this(port, file, null);
        }

        Sent with(String via, Identity.Files files, String authorities, String... more) {
            List<String> arguments = new ArrayList<>(List.of("send", "--via", via, "--to", "127.0.0.1:" + port, "--service", "forward", "--raw", file.toString()));
            if (files != null) {
                arguments.addAll(List.of("--certificate", files.certificate().toString(), "--key", files.key().toString()));
            }
            if (authorities != null) {
                arguments.addAll(List.of("--authorities", authorities));
            }
            arguments.addAll(List.of(more));
            return new Sent(port, file, Command.tryRun(CommandLineTool.command(arguments.toArray(String[]::new)), null,
                    CommandLineTool.PATIENCE));
        }

        void ends(int code, String words) {
            assertThat(result.output() + result.errors()).contains(words);
            assertThat(result.exit()).as(words).isEqualTo(code);
        }
    }

    @Test
    void aProgramWithoutACertificateIsLetInWhereTheNodeAsksForNone() throws Exception {
        Node node = node("URI:" + NODE + ",IP:127.0.0.1", "optional");
        try (Identity identity = new Identity(new Identity.Files(null, null, authority.certificate(), null)); ServerSocket server = server();
                TamanoirClient client = new TamanoirClient().tls(new NodeTls(identity, any -> false)); ClientStream stream = client.open(request(node, server))) {
            send(stream, random(1000));
            try (Socket arrived = server.accept()) {
                assertThat(arrived.getInputStream().readAllBytes()).isEqualTo(random(1000));
            }
            assertThat(receive(stream)).isEmpty();
        }
    }

    @Test
    void theGatewayUsesItsConnectionsForOneStreamAfterAnotherAndTakesNewCertificates() throws Exception {
        Node node = node("URI:" + NODE, "required");
        Identity.Files files = authority.certify("program", "URI:" + PROGRAM, 20);
        try (TcpServer echo = TcpServer.echo(); Identity identity = new Identity(files); Gateway gateway = Gateway.open(new GatewayOptions(ANY)
                .via(new NodeAddress(node.address(), true)).to(new InetSocketAddress("127.0.0.1", echo.port())).services("forward")
                .threads(1).tls(new NodeTls(identity, NODE::equals)))) {
            for (int i = 1; i <= 30; i++) {
                if (i % 10 == 5) {
                    authority.certify("program", "URI:" + PROGRAM, 20 + i);
                    authority.certify("node", "URI:" + NODE, 20 + i);
                }
                byte[] octets = random(i * 10_000);
                try (Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
                    program.setSoTimeout(15_000);
                    CompletableFuture<Void> sending = Grid.async(() -> write(program, octets));
                    assertThat(program.getInputStream().readNBytes(octets.length)).isEqualTo(octets);
                    sending.join();
                    program.shutdownOutput();
                    assertThat(program.getInputStream().read()).isEqualTo(-1);
                }
                await().until(() -> gateway.openConnections() == 0 && gateway.idleConnections() > 0);
            }
            assertThat(gateway.counters().reused()).isEqualTo(29);
            assertThat(gateway.counters().broken()).isZero();
        }
    }

    @Test
    void theGatewayResetsItsProgramsWhereTheNodeIsSomebodyElse() throws Exception {
        Node node = node("URI:" + NODE, "required");
        try (TcpServer echo = TcpServer.echo(); Identity identity = new Identity(authority.certify("program", "URI:" + PROGRAM, 20));
                Gateway gateway = Gateway.open(new GatewayOptions(ANY).via(new NodeAddress(node.address(), true))
                        .to(new InetSocketAddress("127.0.0.1", echo.port())).services("forward").tls(new NodeTls(identity, (NODE + "2")::equals)));
                Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            program.setSoTimeout(10_000);
            assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(gateway.counters().lastFailure()).extracting(AnepException::code).isEqualTo(ErrorCode.NOT_IDENTIFIED);
        }
    }
}
