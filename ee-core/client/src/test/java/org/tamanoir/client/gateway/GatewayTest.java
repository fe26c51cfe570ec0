package org.tamanoir.client.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.client.Leaks;
import org.tamanoir.client.PlainNode;

@ExtendWith(Leaks.class)
@Timeout(60)
class GatewayTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static byte[] random(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    private static GatewayOptions options(PlainNode node, PlainNode server) {
        return new GatewayOptions(ANY).via(node.address()).to(server.address()).services("compression");
    }

    private static Socket connect(Gateway gateway) throws IOException {
        return new Socket(gateway.address().getAddress(), gateway.address().getPort());
    }

    @Test
    void whatGoesThroughIsTheSameInBothDirectionsAtOnceAndEachHalfClosesOnItsOwn() throws Exception {
        byte[] request = random(20_000_003);
        byte[] answer = random(15_000_001);
        CompletableFuture<byte[]> arrived = new CompletableFuture<>();
        try (PlainNode server = new PlainNode(connection -> {
            Thread writer = PlainNode.start("answer", () -> {
                connection.getOutputStream().write(answer);
                connection.shutdownOutput();
            });
            arrived.complete(connection.getInputStream().readAllBytes());
            writer.join();
        }); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server)); Socket program = connect(gateway)) {
            Thread writer = PlainNode.start("request", () -> {
                program.getOutputStream().write(request);
                program.shutdownOutput();
            });
            assertThat(Arrays.equals(program.getInputStream().readAllBytes(), answer)).isTrue();
            assertThat(Arrays.equals(arrived.get(), request)).isTrue();
            writer.join();
            await().until(() -> gateway.openConnections() == 0);
            assertThat(gateway.counters().broken()).isZero();
            assertThat(gateway.counters().octetsToNode()).isEqualTo(request.length);
            assertThat(gateway.counters().octetsToProgram()).isEqualTo(answer.length);
        }
    }

    @Test
    void aServerMaySpeakFirstAndAnswerAfterTheProgramHasFinished() throws Exception {
        try (PlainNode server = new PlainNode(connection -> {
            connection.getOutputStream().write("hello\n".getBytes());
            byte[] request = connection.getInputStream().readAllBytes();
            connection.getOutputStream().write(request);
        }); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server)); Socket program = connect(gateway)) {
            assertThat(program.getInputStream().readNBytes(6)).asString().isEqualTo("hello\n");
            for (byte octet : "octet by octet".getBytes()) {
                program.getOutputStream().write(octet);
            }
            program.shutdownOutput();
            assertThat(program.getInputStream().readAllBytes()).asString().isEqualTo("octet by octet");
        }
    }

    @Test
    void aProgramThatSendsAndFinishesBeforeTheNodeHasAcceptedLosesNothing() throws Exception {
        try (PlainNode server = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
                PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server))) {
            for (int i = 0; i < 100; i++) {
                try (Socket program = connect(gateway)) {
                    program.getOutputStream().write(random(3000 + i));
                    program.shutdownOutput();
                    assertThat(program.getInputStream().readAllBytes()).isEqualTo(random(3000 + i));
                }
            }
        }
    }

    @Test
    void aResetOfTheServerResetsTheProgramAndTheOtherWayRound() throws Exception {
        CountDownLatch reset = new CountDownLatch(1);
        try (PlainNode server = new PlainNode(connection -> {
            if (connection.getInputStream().read() == 'r') {
                connection.setSoLinger(true, 0);
                return;
            }
            try {
                connection.getInputStream().readAllBytes();
            } catch (SocketException e) {
                reset.countDown();
            }
        }); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server))) {
            try (Socket program = connect(gateway)) {
                program.getOutputStream().write('r');
                assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
            }
            Socket program = connect(gateway);
            program.getOutputStream().write('p');
            await().until(() -> gateway.counters().octetsToNode() == 2);
            program.setSoLinger(true, 0);
            program.close();
            await().until(() -> gateway.counters().aborted() == 1);
            assertThat(gateway.counters().broken()).as("a program that gives up is nothing to mend").isEqualTo(1);
            assertThat(reset.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aRefusedStreamAndANodeThatIsNotThereResetTheProgram() throws Exception {
        ByteBuf error = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.NO_ROUTE, "no route", 0);
        byte[] octets = new byte[error.readableBytes()];
        error.readBytes(octets).release();
        InetSocketAddress gone;
        try (PlainNode server = new PlainNode(connection -> { }); PlainNode node = new PlainNode(connection -> {
            PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
            connection.getOutputStream().write(octets);
        }); Gateway gateway = Gateway.open(options(node, server)); Socket program = connect(gateway)) {
            gone = node.address();
            assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
            await().until(() -> gateway.openConnections() == 0);
        }
        try (Gateway gateway = Gateway.open(new GatewayOptions(ANY).via(gone).to(gone).services("forward"));
                Socket program = connect(gateway)) {
            assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    @Test
    @Tag("long")
    void aReaderThatStopsHoldsTheWriterBothWaysAndLittleIsKept() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicLong written = new AtomicLong();
        try (PlainNode server = new PlainNode(connection -> {
            PlainNode.start("answers", () -> flood(connection.getOutputStream(), new AtomicLong()));
            go.await();
            drain(connection.getInputStream());
        }); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server)); Socket program = connect(gateway)) {
            PlainNode.start("requests", () -> flood(program.getOutputStream(), written));
            long[] last = {-1};
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofSeconds(1))
                    .until(() -> last[0] == (last[0] = written.get()) && last[0] > 0);
            long held = Leaks.pinned();
            System.out.printf("a gateway whose readers have stopped: %d octets written, %d held in buffers%n", last[0], held);
            assertThat(held).isLessThan(4L << 20);
            go.countDown();
            await().until(() -> written.get() > last[0] + (10 << 20));
        }
    }

    private static void flood(OutputStream out, AtomicLong written) throws IOException {
        byte[] block = new byte[100_000];
        while (true) {
            out.write(block);
            written.addAndGet(block.length);
        }
    }

    private static void drain(InputStream in) throws IOException {
        byte[] block = new byte[100_000];
        while (in.read(block) >= 0) {
            continue;
        }
    }

    @Test
    void connectionsAboveTheMostWaitAndDrainingLetsTheOpenOnesEnd() throws Exception {
        try (PlainNode server = new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
                PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, server).maxConnections(2))) {
            Socket first = echo(connect(gateway));
            Socket second = echo(connect(gateway));
            Socket third = connect(gateway);
            third.getOutputStream().write('x');
            third.setSoTimeout(300);
            assertThatThrownBy(() -> third.getInputStream().read()).isInstanceOf(java.net.SocketTimeoutException.class);
            first.close();
            third.setSoTimeout(10_000);
            assertThat(third.getInputStream().read()).isEqualTo('x');
            assertThat(gateway.drain(Duration.ofMillis(200))).isFalse();
            assertThatThrownBy(() -> connect(gateway)).isInstanceOf(IOException.class);
            echo(second).close();
            third.close();
            assertThat(gateway.drain(Duration.ofSeconds(5))).isTrue();
        }
    }

    private static Socket echo(Socket program) throws IOException {
        program.getOutputStream().write('e');
        assertThat(program.getInputStream().read()).isEqualTo('e');
        return program;
    }

    @Test
    void aCheckOfTheWaySaysWhyItIsClosedAndIsContentWithAServerThatIsSilentOrSlams() throws Exception {
        try (PlainNode node = refusing(ErrorCode.UNKNOWN_SERVICE, "no service 0x5403"); Gateway gateway = Gateway.open(options(node, node))) {
            assertThat(gateway.checkWay(Duration.ofSeconds(20)).orElseThrow()).hasMessageContaining("no service 0x5403");
            assertThat(gateway.counters().lastFailure().code()).isEqualTo(ErrorCode.UNKNOWN_SERVICE);
        }
        try (PlainNode node = refusing(ErrorCode.DESTINATION_REFUSED, "cannot reach it: Connection refused"); Gateway one = Gateway.open(options(node, node));
                Gateway range = onFreePorts(first -> new GatewayOptions(first).ports(2).via(node.address()).to(node.address()).services("forward"))) {
            assertThat(one.checkWay(Duration.ofSeconds(20)).orElseThrow().code()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
            assertThat(range.checkWay(Duration.ofSeconds(20))).as("servers come and go on a range of ports").isEmpty();
        }
        try (Gateway gateway = Gateway.open(new GatewayOptions(ANY).via(closedPort()).to(closedPort()).services("forward"))) {
            assertThat(gateway.checkWay(Duration.ofSeconds(20)).orElseThrow().code()).isEqualTo(ErrorCode.UNREACHABLE);
        }
        try (PlainNode deaf = new PlainNode(connection -> connection.getInputStream().readAllBytes()); Gateway gateway = Gateway.open(options(deaf, deaf))) {
            assertThat(gateway.checkWay(Duration.ofMillis(200)).orElseThrow()).as("no answer is none").hasMessageStartingWith("EE-211 ");
        }
        CountDownLatch silent = new CountDownLatch(1);
        try (PlainNode mute = new PlainNode(connection -> silent.await()); Gateway gateway = Gateway.open(options(mute, mute))) {
            assertThat(gateway.checkWay(Duration.ofMillis(200)).orElseThrow()).hasMessageStartingWith("EE-204 ");
        }
        try (PlainNode polite = new PlainNode(connection -> connection.getInputStream().readAllBytes());
                PlainNode slamming = new PlainNode(connection -> connection.setSoLinger(true, 0));
                PlainNode quiet = new PlainNode(connection -> silent.await()); PlainNode node = PlainNode.relay()) {
            for (PlainNode server : new PlainNode[] {polite, slamming, quiet}) {
                try (Gateway gateway = Gateway.open(options(node, server))) {
                    assertThat(gateway.checkWay(Duration.ofSeconds(20))).isEmpty();
                }
            }
        }
    }

    private static PlainNode refusing(ErrorCode code, String text) throws IOException {
        ByteBuf error = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, code, text, 0);
        byte[] octets = new byte[error.readableBytes()];
        error.readBytes(octets).release();
        return new PlainNode(connection -> {
            PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
            connection.getOutputStream().write(octets);
            connection.shutdownOutput();
            connection.getInputStream().readAllBytes();
        });
    }

    private static InetSocketAddress closedPort() throws IOException {
        try (PlainNode gone = new PlainNode(connection -> { })) {
            return gone.address();
        }
    }

    /** On ports side by side, wherever all of them are free. @param options by the first of them */
    static Gateway onFreePorts(Function<InetSocketAddress, GatewayOptions> options) throws IOException {
        for (int attempt = 1;; attempt++) {
            try {
                return Gateway.open(options.apply(closedPort()));
            } catch (AnepException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CANNOT_LISTEN);
                assertThat(attempt).isLessThan(50);
            }
        }
    }
}
