package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Answering;

/** A service that knows answers itself, before a destination that is there and one that is not; on the event loop, and on threads of its own. */
class AServiceThatAnswersTest {
    private static final int TYPE = 0x5500;
    private static final int MANY = 4000;

    @TempDir
    private Path directory;
    private Grid grid;
    private Node node;
    private TcpServer echo;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        echo = TcpServer.echo();
    }

    @AfterEach
    void stop() throws Exception {
        if (node != null) {
            new NodeView(node).awaitStreams(0);
        }
        echo.close();
        grid.close();
    }

    private void serve(String level) {
        grid.push(new ServiceBundle("answering", TYPE, level, Answering.class).in(directory));
        node = grid.node();
    }

    private AnepPeer open(int port, Delivery delivery) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(port, delivery)));
    }

    private static AnepPeer ask(AnepPeer peer, String question) throws IOException {
        return peer.send(AnepPeer.data(TYPE, question.getBytes(UTF_8)));
    }

    private static String answer(AnepPeer peer) throws IOException {
        Packet packet = peer.receive();
        return packet == null ? null : packet.typeId() == TYPE ? packet.payload().toString(UTF_8) : packet.toString();
    }

    private double questions(String answered) {
        return new NodeView(node).metric("tamanoir_answering_questions_total{answered=\"" + answered + "\",instance=\"1\",version=\"1.0.0\"}");
    }

    /** Octets that went back on the only stream. */
    private long returned() {
        return new NodeView(node).streams().get(0).path("bytesReturned").asLong();
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void whatItKnowsNeedsNoDestinationAndTheRestGoesThere(String level) throws Exception {
        serve(level);
        int nobody = FreePort.onLoopback();
        for (Delivery delivery : Delivery.values()) {
            try (AnepPeer peer = open(nobody, delivery)) {
                assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
                assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
                peer.finish();
                assertThat(answer(peer)).as("an end").isNull();
            }
            try (AnepPeer peer = open(nobody, delivery)) {
                ask(peer, "late").finish();
                assertThat(answer(peer)).isEqualTo(Answering.KNOWN);
                assertThat(answer(peer)).as("an end").isNull();
            }
            try (AnepPeer peer = open(nobody, delivery)) {
                assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
                assertThat(ask(peer, "who?").refusal()).isEqualTo(ErrorCode.DESTINATION_REFUSED);
            }
        }
        try (AnepPeer peer = open(echo.port(), Delivery.RAW)) {
            assertThat(ask(peer, "no").refusal()).isEqualTo(ErrorCode.SERVICE_REFUSED);
        }
        try (AnepPeer peer = open(echo.port(), Delivery.RAW)) {
            assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
            ask(ask(peer, "who"), "?");
            StringBuilder there = new StringBuilder();
            while (there.length() < 4) {
                there.append(answer(peer));
            }
            assertThat(there).hasToString("who?");
            assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
            assertThat(answer(ask(peer, "x"))).isEqualTo("x");
            peer.finish();
            assertThat(answer(peer)).as("an end").isNull();
        }
        // A stream through two such nodes: the first packet, which names the destination, waits in both.
        Node first = grid.node(configuration -> configuration.set("routes", Map.of("127.0.0.0/8", "127.0.0.1:" + node.address().getPort())));
        try (AnepPeer peer = new AnepPeer(first.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)))) {
            assertThat(answer(ask(peer, "who?"))).isEqualTo("who?");
            peer.finish();
            assertThat(answer(peer)).as("an end").isNull();
        }
        // The same by a source that asks whether its destination has accepted: the first node says so, once, for it answers in the destination's place.
        for (int port : new int[] {nobody, echo.port()}) {
            try (AnepPeer peer = new AnepPeer(first.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(port, Delivery.RAW).connected(true)))) {
                assertThat(peer.receive().isConnected()).isTrue();
                assertThat(answer(ask(peer, "known"))).isEqualTo(Answering.KNOWN);
                assertThat(port == nobody ? Answering.KNOWN : answer(ask(peer, "who?"))).isEqualTo(port == nobody ? Answering.KNOWN : "who?");
            }
        }
        assertThat(questions("here")).isEqualTo(10);
        assertThat(questions("there")).isEqualTo(7);
        assertThat(echo.waiting()).as("connections, of which three were needed").isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void aSourceThatGoesOnHearsTheWholeAnswerAndTheStreamIsOver(String level) throws Exception {
        serve(level);
        try (AnepPeer peer = open(FreePort.onLoopback(), Delivery.RAW)) {
            // It does not end, and what it sends more is in the way of nobody.
            ask(peer, "known.").send(AnepPeer.data(TYPE, new byte[50_000]));
            assertThat(answer(peer)).isEqualTo(Answering.KNOWN);
            assertThat(answer(peer)).as("an end").isNull();
            new NodeView(node).awaitStreams(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void itGoesOnWhenThereIsRoomAndMakesNoMoreThanIsTaken(String level) throws Exception {
        serve(level);
        try (AnepPeer peer = open(FreePort.onLoopback(), Delivery.RAW)) {
            ask(peer, "many " + MANY);
            AtomicLong before = new AtomicLong(-1);
            await("the way is full").pollInterval(Duration.ofMillis(300)).until(() -> before.getAndSet(returned()) == before.get());
            assertThat(returned()).isBetween(1L, (long) MANY * Answering.PIECE / 4);
            for (long number = 0; number < MANY; number++) {
                Packet packet = peer.receive();
                assertThat(packet.payload().readableBytes()).isEqualTo(Answering.PIECE);
                assertThat(packet.payload().getLong(packet.payload().readerIndex())).isEqualTo(number);
            }
            assertThat(peer.receive()).isNull();
        }
    }
}
