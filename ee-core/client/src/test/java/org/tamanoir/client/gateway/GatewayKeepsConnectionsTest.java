package org.tamanoir.client.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.Leaks;
import org.tamanoir.client.PlainNode;
import org.tamanoir.client.gateway.KeepingNode.Further;

/** Programs never see which connection their stream has used; the node sees few of them. */
@ExtendWith(Leaks.class)
@Timeout(60)
@Tag("long")
class GatewayKeepsConnectionsTest {
    private final AtomicInteger requests = new AtomicInteger();
    private PlainNode server;
    private KeepingNode node;
    private GatewayOptions options;
    private Gateway gateway;

    /** An echo that counts, and closes as a server of HTTP/1.0 does: with its answer. */
    @BeforeEach
    void open() throws IOException {
        server = new PlainNode(connection -> {
            byte[] length = connection.getInputStream().readNBytes(4);
            requests.incrementAndGet();
            int octets = (length[0] & 0xFF) << 24 | (length[1] & 0xFF) << 16 | (length[2] & 0xFF) << 8 | length[3] & 0xFF;
            connection.getOutputStream().write(connection.getInputStream().readNBytes(octets));
        });
        node = new KeepingNode(server.address());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        // One loop, so that every stream could use the connection of the one before.
        options = new GatewayOptions(any).via(node.address()).to(server.address()).services("monitoring").threads(1);
        gateway = Gateway.open(options);
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
        node.close();
        server.close();
    }

    /** One program: sends, reads the answer to its end, closes. */
    private byte[] ask(byte[] body) throws IOException {
        try (Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            program.getOutputStream().write(new byte[] {(byte) (body.length >> 24), (byte) (body.length >> 16), (byte) (body.length >> 8),
                (byte) body.length});
            program.getOutputStream().write(body);
            return program.getInputStream().readAllBytes();
        }
    }

    private void askAndSettle(byte[] body) throws IOException {
        assertThat(Arrays.equals(ask(body), body)).isTrue();
        await().until(() -> gateway.openConnections() == 0 && gateway.idleConnections() == (node.saysReady ? 1 : 0));
    }

    private static byte[] body(int number, int octets) {
        byte[] body = new byte[octets];
        new Random(number).nextBytes(body);
        return body;
    }

    @Test
    void streamsThatFollowEachOtherShareOneConnection() throws Exception {
        for (int i = 0; i < 20; i++) {
            askAndSettle(body(i, 1 << i % 18));
        }
        assertThat(node.streams).hasValue(20);
        assertThat(node.offers).hasValue(20);
        assertThat(node.connections).hasValue(1);
        assertThat(gateway.counters().reused()).isEqualTo(19);
        assertThat(gateway.counters().broken()).isZero();
        gateway.close();
        await().untilAsserted(() -> assertThat(node.ended).as("an idle connection ends, and is not reset").hasValue(1));
    }

    @Test
    void aNodeThatGivesTheConnectionUpAsItIsTakenCostsAProgramNothing() throws Exception {
        askAndSettle(body(1, 100));
        node.further = Further.GIVE_UP;
        for (int round = 0; round < 5; round++) {
            node.readBefore = 8 + round * 1000;
            askAndSettle(body(round, 50_000));
        }
        assertThat(requests).as("each request was seen once").hasValue(6);
        assertThat(gateway.counters().reused()).isEqualTo(5);
        assertThat(gateway.counters().broken()).isZero();
    }

    /**
     * Whether the node has seen a stream before it was reset is not known: sending it again might do its work twice. Many rounds, because a
     * write that meets the reset before a read does takes the error, and the read then finds what looks like an end.
     */
    @Test
    void aResetIsNeverRepeatedAndNeverLooksLikeAnEnd() throws Exception {
        int rounds = 25;
        for (int round = 1; round <= rounds; round++) {
            node.further = Further.SERVE;
            askAndSettle(body(1, 100));
            node.further = Further.RESET;
            node.readBefore = round % 3 * 8;
            byte[] body = body(round, 60_000);
            assertThatThrownBy(() -> ask(body)).as("round %d", round).isInstanceOf(SocketException.class);
            int broken = round;
            await().until(() -> gateway.counters().broken() == broken);
            assertThat(gateway.counters().lastFailure().code()).isEqualTo(ErrorCode.CONNECTION_LOST);
        }
        assertThat(requests).hasValue(rounds);
    }

    @Test
    void aStreamThatHasSentTooMuchToKeepFailsWithACode() throws Exception {
        askAndSettle(body(1, 100));
        node.further = Further.GIVE_UP;
        node.readBefore = 200_000;
        assertThatThrownBy(() -> ask(body(2, 300_000))).isInstanceOf(SocketException.class);
        await().until(() -> gateway.counters().broken() == 1);
        assertThat(gateway.counters().lastFailure()).hasMessageStartingWith("EE-211").hasMessageContaining("too many to send again");
        assertThat(requests).hasValue(1);
    }

    /** Its last octets may wait for a slow server, and the next stream would wait behind them. */
    @Test
    void aConnectionOnWhichBothHaveEndedIsNotUsedUntilTheNodeSaysReady() throws Exception {
        node.saysReady = false;
        askAndSettle(body(1, 100));
        askAndSettle(body(2, 100));
        assertThat(node.connections).hasValue(2);
        assertThat(gateway.counters().reused()).isZero();
    }

    @Test
    void aConnectionThatNobodyWantsEndsInTime() throws Exception {
        gateway.close();
        gateway = Gateway.open(options.keepConnections(Duration.ofMillis(400)));
        for (int round = 1; round <= 3; round++) {
            assertThat(ask(body(round, 100))).isEqualTo(body(round, 100));
            int ended = round;
            await().untilAsserted(() -> assertThat(node.ended).hasValue(ended));
            assertThat(gateway.idleConnections()).isZero();
        }
        assertThat(node.connections).hasValue(3);
    }

    @Test
    void aGatewayThatKeepsNothingOffersNothing() throws Exception {
        gateway.close();
        gateway = Gateway.open(options.keepConnections(Duration.ZERO));
        assertThat(ask(body(1, 100))).isEqualTo(body(1, 100));
        assertThat(node.offers).hasValue(0);
    }

    /** It has heard nothing of the node by then and must end by FIN. */
    @Test
    void aProgramThatFinishesBeforeItHearsAnythingStillGetsItsAnswer() throws Exception {
        for (int i = 0; i < 5; i++) {
            byte[] body = body(i, 3000);
            try (Socket program = new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
                program.getOutputStream().write(new byte[] {0, 0, 0x0B, (byte) 0xB8});
                program.getOutputStream().write(body);
                program.shutdownOutput();
                assertThat(program.getInputStream().readAllBytes()).isEqualTo(body);
            }
        }
        assertThat(gateway.counters().broken()).isZero();
    }

    @Test
    void manyProgramsAtOnceNeverGetEachOthersAnswers() throws Exception {
        AtomicInteger wrong = new AtomicInteger();
        Thread[] programs = new Thread[8];
        for (int p = 0; p < programs.length; p++) {
            int program = p;
            programs[p] = new Thread(() -> {
                try {
                    for (int i = 0; i < 40; i++) {
                        byte[] body = body(program * 1000 + i, 1 + (program * 7919 + i * 104_729) % 100_000);
                        if (!Arrays.equals(ask(body), body)) {
                            wrong.incrementAndGet();
                        }
                    }
                } catch (IOException e) {
                    wrong.addAndGet(1000);
                }
            });
            programs[p].start();
        }
        for (Thread program : programs) {
            program.join();
        }
        assertThat(wrong).hasValue(0);
        assertThat(requests).hasValue(320);
        assertThat(node.streams).hasValue(320);
        assertThat(node.connections.get()).isLessThan(320);
    }
}
