package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.client.wire.EventLoops;

@Timeout(120)
class TransferCommandsTest {
    private static final String ANY = "127.0.0.1:0";

    @TempDir
    private Path folder;

    private Path file(int size) throws IOException {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return Files.write(folder.resolve("file-" + size), octets);
    }

    private String output() {
        return folder.resolve("out").toString();
    }

    private static Launched send(String to, String... more) {
        String[] arguments = new String[7 + more.length];
        System.arraycopy(new String[] {"send", "--via", to, "--to", to, "--service", "monitoring,0x5501"}, 0, arguments, 0, 7);
        System.arraycopy(more, 0, arguments, 7, more.length);
        return Launched.here(arguments);
    }

    private static String hash(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    @Test
    @Tag("long")
    void everyStreamOfAFileArrivesInAFileOfItsOwn() throws Exception {
        Path file = file(10_000_001);
        Launched receive = Launched.here("receive", "--listen", ANY, "--count", "3", "--output", output(), "--json");
        Launched send = send(receive.ready(), "--streams", "3", "--json", file.toString());
        assertThat(send.exit()).as(send.err()).isEqualTo(ExitCode.DONE);
        assertThat(receive.exit()).as(receive.err()).isEqualTo(ExitCode.DONE);
        for (String name : new String[] {"out", "out.2", "out.3"}) {
            assertThat(folder.resolve(name)).hasSameBinaryContentAs(file);
            assertThat(folder.resolve(name + ".part")).doesNotExist();
        }
        JsonNode sent = new ObjectMapper().readTree(send.out());
        assertThat(sent.get("octets").asLong()).isEqualTo(30_000_003);
        assertThat(sent.get("acknowledged").asBoolean()).isTrue();
        JsonNode received = new ObjectMapper().readTree(receive.out());
        assertThat(received.get("streams")).hasSize(3).allSatisfy(stream -> {
            assertThat(stream.get("sha256").asText()).isEqualTo(hash(file));
            assertThat(stream.get("clean").asBoolean()).isTrue();
        });
    }

    @Test
    @Tag("long")
    void aFileOverUdpArrivesAndTheSummarySaysThatNobodyAcknowledges() throws Exception {
        // So little that a receive buffer of the kernel's ordinary size holds it all, should the machine not let the receiver run.
        Path file = file(200_001);
        Launched receive = Launched.here("receive", "--udp", "--listen", ANY, "--output", output());
        Launched send = send(receive.ready(), "--udp", "--rate", "20M", file.toString());
        assertThat(send.exit()).as(send.err()).isEqualTo(ExitCode.DONE);
        assertThat(send.out()).contains("200001 octets").contains("nobody acknowledges");
        assertThat(receive.exit()).as(receive.err()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("out")).hasSameBinaryContentAs(file);
        assertThat(receive.out()).contains(hash(file));
    }

    @Test
    @Tag("long")
    void aSenderThatIsKilledLeavesAPartAndNoFile() throws Exception {
        Launched receive = Launched.here("receive", "--listen", ANY, "--output", output());
        String to = receive.ready();
        Process send = Launched.process("send", "--via", to, "--to", to, "--service", "forward", "--rate", "8M",
                file(20_000_000).toString()).start();
        while (!Files.exists(folder.resolve("out.part")) || Files.size(folder.resolve("out.part")) == 0) {
            Thread.sleep(20);
        }
        send.destroyForcibly().waitFor();
        assertThat(receive.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(receive.err()).contains("EE-211").contains("out.part");
        assertThat(folder.resolve("out")).doesNotExist();
        assertThat(folder.resolve("out.part")).isNotEmptyFile();
    }

    @Test
    @Tag("long")
    void aFileThatCannotBeWrittenFailsTheSenderToo() throws Exception {
        Launched receive = Launched.here("receive", "--listen", ANY, "--output", folder.resolve("no/such/folder/out").toString());
        Launched send = send(receive.ready(), file(5_000_000).toString());
        assertThat(receive.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(send.exit()).isEqualTo(ExitCode.FAILED);
        assertThat(send.err()).contains("EE-409");
    }

    @Test
    void aNamedPipeIsWrittenToAndNeverReplaced() throws Exception {
        Path file = file(1_000_001);
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Process reader = new ProcessBuilder("sha256sum", pipe.toString()).start();
        Launched receive = Launched.here("receive", "--listen", ANY, "--output", pipe.toString());
        Launched send = send(receive.ready(), file.toString());
        assertThat(send.exit()).as(send.err()).isEqualTo(ExitCode.DONE);
        assertThat(receive.exit()).as(receive.err()).isEqualTo(ExitCode.DONE);
        // The reader sees an end only if it was the pipe that was written to.
        assertThat(reader.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(reader.inputReader().readLine()).startsWith(hash(file));
        assertThat(Files.isRegularFile(pipe)).isFalse();
        assertThat(folder.resolve("pipe.part")).doesNotExist();
    }

    @Test
    @Tag("long")
    void standardInputAndOutputAreStreamsToo() throws Exception {
        Path file = file(3_000_001);
        Path out = folder.resolve("stdout");
        Path err = folder.resolve("stderr");
        Process receive = Launched.process("receive", "--listen", ANY, "--output", "-").redirectOutput(out.toFile())
                .redirectError(err.toFile()).start();
        while (!Files.exists(err) || !Files.readString(err).contains("\n")) {
            Thread.sleep(20);
        }
        String to = Files.readString(err).trim().replace("READY receive ", "");
        Process send = Launched.process("send", "--via", to, "--to", to, "--service", "forward", "-").start();
        try (OutputStream in = send.getOutputStream()) {
            Files.copy(file, in);
        }
        assertThat(send.waitFor()).isEqualTo(ExitCode.DONE);
        assertThat(receive.waitFor()).isEqualTo(ExitCode.DONE);
        assertThat(out).hasSameBinaryContentAs(file);
        assertThat(err).content().contains(hash(file));
    }

    @Test
    void theExitCodeSaysWhoseFaultItWas() throws Exception {
        String gone = free();
        String file = file(1000).toString();
        assertThat(send(gone, file).exit()).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(send(gone, folder.resolve("missing").toString()).exit()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(send(gone, "--packet-size", "70000", file).exit()).isEqualTo(ExitCode.USAGE);
        assertThat(send(gone, "--rate", "fast", file).exit()).isEqualTo(ExitCode.USAGE);
        Launched misspelt = Launched.here("send", "--via", gone, "--to", gone, "--service", "compresion", file);
        assertThat(misspelt.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(misspelt.err()).contains("EE-408").contains("forward, monitoring, compression").doesNotContain("\tat ");
        try (TamanoirReceiver node = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
            Launched send = send(EventLoops.text(node.address()), file);
            node.accept().refuse(ErrorCode.NO_ROUTE, "no route");
            assertThat(send.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(send.err().strip()).isEqualTo("EE-202 no route");
        }
    }

    @Test
    @Tag("long")
    void aGatewayThatIsToldToStopLetsOpenConnectionsEnd() throws Exception {
        try (TamanoirReceiver node = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
            String via = EventLoops.text(node.address());
            String status = free();
            Process gateway = Launched.process("gateway", "--listen", ANY, "--via", via, "--to", via, "--service", "forward", "--check", "0", "--json", "--status", status)
                    .redirectError(ProcessBuilder.Redirect.PIPE).start();
            String address = Launched.ready(gateway.errorReader());
            BufferedReader output = gateway.inputReader();
            try (Socket program = new Socket("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)))) {
                program.getOutputStream().write("before".getBytes());
                IncomingStream stream = node.accept();
                assertThat(stream.opening().delivery()).isEqualTo(org.tamanoir.anep.Delivery.RAW);
                stream.receive().release();
                JsonNode open = new ObjectMapper().readTree(said("gateway-status", status, "--json")).at("/openConnections/0");
                assertThat(open.path("from").asText()).isEqualTo(EventLoops.text((InetSocketAddress) program.getLocalSocketAddress()));
                assertThat(open.path("by").asText()).isEqualTo(open.path("to").asText()).isEqualTo(via);
                assertThat(open.path("state").asText() + open.path("octetsToNode")).isEqualTo("open6");
                assertThat(said("gateway-status", status)).contains("gateway " + address + ", by forward", "connections   1 open of 1; 0 failed")
                        .containsPattern(" +" + via + " +" + via + " +open +[0-9.]+ m?s +6 B +0 B");
                gateway.toHandle().destroy();
                Thread.sleep(500);
                assertThat(gateway.isAlive()).isTrue();
                stream.send("after".getBytes());
                stream.finish();
                assertThat(program.getInputStream().readAllBytes()).asString().isEqualTo("after");
                program.shutdownOutput();
                assertThat(stream.receive()).isNull();
                stream.close();
            }
            assertThat(gateway.waitFor(5, TimeUnit.SECONDS)).isTrue();
            assertThat(gateway.exitValue()).isEqualTo(ExitCode.DONE);
            StringBuilder summary = new StringBuilder();
            output.lines().forEach(summary::append);
            JsonNode json = new ObjectMapper().readTree(summary.toString());
            assertThat(json.get("octetsToNode").asInt()).isEqualTo(6);
            assertThat(json.get("octetsToProgram").asInt()).isEqualTo(5);
            assertThat(json.get("broken").asInt()).isZero();
        }
    }

    @Test
    @Tag("long")
    void aGatewayWhoseWayIsClosedSaysSoBeforeItIsReadyAndAtTheEnd() throws Exception {
        try (TamanoirReceiver node = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
            String via = EventLoops.text(node.address());
            Process gateway = Launched.process("gateway", "--listen", ANY, "--via", via, "--to", via, "--service", "forward", "--check", "30", "--unchecked")
                    .redirectError(ProcessBuilder.Redirect.PIPE).start();
            node.accept().refuse(ErrorCode.NO_ROUTE, "no route to 10.9.9.9");
            BufferedReader output = gateway.inputReader();
            assertThat(Launched.ready(output)).isNotEmpty();
            assertThat(gateway.errorReader().readLine()).startsWith("warning: ").endsWith("EE-202 no route to 10.9.9.9");
            gateway.toHandle().destroy();
            assertThat(output.readLine()).endsWith("last: EE-202 no route to 10.9.9.9");
            assertThat(gateway.waitFor(5, TimeUnit.SECONDS)).isTrue();
        }
        String gone;
        try (ServerSocket socket = new ServerSocket(0)) {
            gone = "127.0.0.1:" + socket.getLocalPort();
        }
        Launched strict = Launched.here("gateway", "--listen", ANY, "--via", gone, "--to", gone, "--service", "forward");
        assertThat(strict.exit()).as("it says what is wrong in place of READY").isEqualTo(ExitCode.UNREACHABLE);
        assertThat(strict.err()).startsWith("EE-204");
        assertThat(strict.out()).isEmpty();
        misused("--proxy needs --allow", "--listen", ANY, "--via", gone, "--proxy", "--service", "forward");
        misused("a range of ports", "--listen", "127.0.0.1:5000-5009", "--via", gone, "--to", "10.0.0.1:5000-5008", "--service", "forward");
        misused("Missing required option: '--to", "--listen", ANY, "--via", gone, "--service", "forward");
    }

    private static String free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    private static String said(String... command) throws Exception {
        Launched launched = Launched.here(command);
        assertThat(launched.exit()).as(launched.err()).isZero();
        return launched.out();
    }

    private static void misused(String told, String... options) throws Exception {
        Launched gateway = Launched.here(Stream.concat(Stream.of("gateway"), Stream.of(options)).toArray(String[]::new));
        assertThat(gateway.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(gateway.err()).startsWith(told);
    }
}
