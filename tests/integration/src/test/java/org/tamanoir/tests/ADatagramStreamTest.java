package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.Node;

/** Datagrams through nodes: in order, intact, answers find their way back; what was made up costs nobody anything. */
@Tag("long")
class ADatagramStreamTest {
    private static final int COUNT = 200;
    /** Large and small datagrams that the receive buffer of a node holds when the machine does not let it run. */
    private static final int LARGE_AT_ONCE = 50;
    private static final int SMALL_AT_ONCE = 200;

    private static byte[] datagram(int service, Delivery delivery, int port, int number, boolean checksum) {
        byte[] payload = payload(number);
        return AnepPeer.packet(new PacketBuilder(service).flags(Anep.FLAG_DISCARD_UNKNOWN)
                .options(AnepPeer.to(port, delivery).stream(7, number).checksum(checksum)).payload(Unpooled.wrappedBuffer(payload)));
    }

    /** Every size is there, also none, and both what shrinks and what does not. */
    private static byte[] payload(int number) {
        byte[] payload = new byte[4 + number * 37 % 1300];
        if (number % 2 == 0) {
            new java.util.Random(number).nextBytes(payload);
        }
        ByteBuffer.wrap(payload).putInt(number);
        return payload;
    }

    @ParameterizedTest
    @CsvSource({"21506, ANEP, epoll, true", "21507, ANEP, epoll, false", "21507, RAW, epoll, true", "21506, RAW, nio, false"})
    void keepsOrderAndContentBothWays(int service, Delivery delivery, String io, boolean checksum) throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node last = grid.node(configuration -> configuration.set("io", io));
            Node first = grid.nodeTo(last);
            try (UdpPeer peer = new UdpPeer(first.address())) {
                for (int i = 0; i < COUNT; i++) {
                    peer.send(datagram(service, delivery, destination.port(), i, checksum));
                    byte[] arrived = destination.receive();
                    if (delivery == Delivery.ANEP) {
                        Packet packet = Packet.of(Unpooled.wrappedBuffer(arrived));
                        packet.checkOptions();
                        assertThat(packet.options().checksum()).isEqualTo(checksum);
                        assertThat(packet.sequence()).isEqualTo(i);
                        assertThat(packet.hops()).isEqualTo(Anep.DEFAULT_HOPS - 2);
                        arrived = new byte[packet.payloadLength()];
                        packet.payload().readBytes(arrived);
                    }
                    assertThat(arrived).as("datagram %d", i).isEqualTo(payload(i));
                    destination.send(delivery == Delivery.RAW ? payload(i) : datagram(service, delivery, 9, i, checksum));
                    Packet answer = peer.receivePacket();
                    assertThat(answer.typeId()).as("%s", answer.options().error()).isEqualTo(service);
                    byte[] content = new byte[answer.payloadLength()];
                    answer.payload().readBytes(content);
                    assertThat(content).as("answer %d", i).isEqualTo(payload(i));
                }
            }
            new NodeView(first).awaitStreams(1);
            assertThat(new NodeView(first).errors() + new NodeView(last).errors()).isZero();
        }
    }

    /** Each alone, and then between others. */
    @Test
    void aDatagramWithoutAnOctetArrivesAsOne() throws IOException {
        try (Grid grid = Grid.withRepository(); UdpPeer destination = new UdpPeer()) {
            Node node = grid.node();
            try (UdpPeer peer = new UdpPeer(node.address())) {
                for (int i = 0; i < 20; i++) {
                    byte[] payload = i < 15 || i % 2 == 0 ? new byte[0] : payload(i);
                    peer.send(AnepPeer.packet(new PacketBuilder(Grid.MONITORING).options(AnepPeer.to(destination.port(), Delivery.RAW).stream(5, i)).payload(Unpooled.wrappedBuffer(payload))));
                    if (i < 15) {
                        assertThat(destination.receive()).as("datagram %d", i).isEmpty();
                    }
                }
                for (int i = 15; i < 20; i++) {
                    assertThat(destination.receive()).as("datagram %d", i).isEqualTo(i % 2 == 0 ? new byte[0] : payload(i));
                }
            }
        }
    }

    /** More come than may wait while the service is fetched: the newest stay, in order, and the rest is counted. */
    @Test
    void keepsTheNewestWhileItsServiceIsFetched() throws Exception {
        byte[] bundle = java.nio.file.Files.readAllBytes(Grid.bundle("forward"));
        CountDownLatch sent = new CountDownLatch(1);
        FakeRepository.Answer slow = exchange -> {
            try {
                sent.await(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            FakeRepository.octets(bundle).to(exchange);
        };
        String index = FakeRepository.indexOf("forward", Grid.FORWARD, "light", FakeRepository.sha256(bundle), "forward.jar", bundle.length)
                .replace("value='1.0.0'", "value='0.1.0'");
        try (Grid grid = new Grid(); FakeRepository repository = new FakeRepository(FakeRepository.text(index), slow);
                UdpPeer destination = new UdpPeer()) {
            Node node = grid.node(configuration -> configuration.set("repositories", List.of(repository.url())));
            NodeView view = new NodeView(node);
            try (UdpPeer peer = new UdpPeer(node.address())) {
                for (int i = 0; i < 100; i++) {
                    peer.send(datagram(Grid.FORWARD, Delivery.ANEP, destination.port(), i, false));
                    int came = i + 1;
                    if (came % LARGE_AT_ONCE == 0) {
                        await().until(() -> view.status().path("packetsIn").asInt() == came);
                    }
                }
                await().until(() -> view.metric("tamanoir_datagrams_overflowed_total") == 36);
                sent.countDown();
                for (int i = 36; i < 100; i++) {
                    assertThat(destination.receivePacket().sequence()).isEqualTo(i);
                }
                assertThat(destination.isSilent(100)).isTrue();
            }
            assertThat(view.metric("tamanoir_datagrams_overflowed_total")).isEqualTo(36);
            view.awaitStreams(1);
        }
    }

    /** Error packets that belong to no stream are not answered, or two nodes could keep each other busy for ever. */
    @Test
    void isNotAnsweredWhenItIsAnErrorPacket() throws IOException {
        try (Grid grid = new Grid()) {
            Node node = grid.node();
            byte[] error = AnepPeer.error(ErrorCode.NO_ROUTE);
            try (UdpPeer peer = new UdpPeer(node.address())) {
                sendAll(peer, error, 1000, ErrorCode.MISPLACED_ERROR, node);
                assertThat(peer.isSilent(300)).isTrue();
            }
            new NodeView(node).awaitStreams(0);
        }
    }

    /** Many datagrams that the node counts under a code; no more at once than its socket has room for. */
    private static void sendAll(UdpPeer peer, byte[] datagram, int count, ErrorCode code, Node node) throws IOException {
        NodeView view = new NodeView(node);
        for (int i = 1; i <= count; i++) {
            peer.send(datagram);
            if (i % SMALL_AT_ONCE == 0) {
                view.awaitErrors(code, i);
            }
        }
    }

    /** The answer to a stream that waited does not depend on what somebody else sent meanwhile. */
    @Test
    void isToldItsErrorEvenIfErrorPacketsOfOthersCameBetween() throws Exception {
        try (Grid grid = new Grid(); FakeRepository silent = FakeRepository.silent()) {
            Node node = grid.node(configuration -> {
                configuration.set("threads", 1);
                configuration.set("repositories", List.of(silent.url()));
                configuration.set("limits.repository-timeout", "700ms");
            });
            byte[] error = AnepPeer.error(ErrorCode.NO_ROUTE);
            try (UdpPeer peer = new UdpPeer(node.address()); UdpPeer other = new UdpPeer(node.address())) {
                peer.send(datagram(Grid.FORWARD, Delivery.ANEP, 9, 0, false));
                new NodeView(node).awaitStreamsOpened(1);
                other.send(error);
                assertThat(peer.refusal()).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
            }
        }
    }

    /** A flood of well-formed datagrams that cannot be served gets few answers: less goes out than came in. */
    @Test
    void isAnsweredAtALimitedRate() throws Exception {
        try (Grid grid = new Grid()) {
            Node node = grid.node(configuration -> configuration.set("threads", 1));
            // An address without a port leads nowhere; without an address it would be for the node itself.
            byte[] nowhere = AnepPeer.opening(Grid.FORWARD, new org.tamanoir.anep.PacketOptions().stream(1, 0)
                    .destination(org.tamanoir.anep.Identifier.of(java.net.InetAddress.getLoopbackAddress())));
            try (UdpPeer peer = new UdpPeer(node.address())) {
                long start = System.nanoTime();
                sendAll(peer, nowhere, 4000, ErrorCode.NO_DESTINATION, node);
                long seconds = (System.nanoTime() - start) / 1_000_000_000L + 2;
                int answers = 0;
                while (!peer.isSilent(300)) {
                    answers++;
                }
                assertThat(answers).isBetween(100, (int) (200 * seconds));
            }
        }
    }
}
