package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;

@ExtendWith(Leaks.class)
@Timeout(60)
class UdpStreamTest {
    private final TamanoirClient client = new TamanoirClient();
    private final TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(StreamTest.ANY).udp(true)
            .idleTimeout(Duration.ofSeconds(1)));

    @AfterEach
    void close() {
        client.close();
        receiver.close();
    }

    private StreamRequest through(InetSocketAddress node) {
        return new StreamRequest().via(node).to(receiver.address()).services("monitoring").udp(true).rate(100_000_000);
    }

    /** Passes datagrams on, except those whose number the test picks. */
    private static DatagramSocket lossyNode(InetSocketAddress to, IntPredicate lost) throws IOException {
        DatagramSocket socket = new DatagramSocket(StreamTest.ANY);
        PlainNode.start("lossy-node", () -> {
            DatagramPacket datagram = new DatagramPacket(new byte[65536], 65536);
            for (int i = 0; true; i++) {
                datagram.setLength(65536);
                socket.receive(datagram);
                if (!lost.test(i)) {
                    datagram.setSocketAddress(to);
                    socket.send(datagram);
                }
            }
        });
        return socket;
    }

    @Test
    void aPacedFileArrivesIdenticalAndItsEndIsSeenOnce(@TempDir Path folder) throws Exception {
        // So little that a receive buffer of the kernel's ordinary size holds it all, should the machine not let the receiver run.
        byte[] content = StreamTest.random(200_001);
        Path file = Files.write(folder.resolve("file"), content);
        long start = System.nanoTime();
        try (ClientStream stream = client.open(through(receiver.address()).streamId(77).rate(20_000_000))) {
            PlainNode.start("sender", () -> {
                stream.sendFile(file);
                stream.complete();
            });
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(incoming.id()).isEqualTo(77);
                assertThat(StreamTest.all(incoming)).isEqualTo(content);
                assertThat(incoming.missing()).isZero();
                assertThat(incoming.disordered()).isZero();
            }
            // 200 kB at 20 Mbit/s take 80 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(70));
        }
        // The second and third mark of the end, 100 ms later, have opened no stream: the next one accepted is a new one.
        Thread.sleep(200);
        try (ClientStream next = client.open(through(receiver.address()).streamId(78))) {
            next.finish();
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(incoming.id()).isEqualTo(78);
                assertThat(incoming.receive()).isNull();
            }
        }
    }

    @Test
    void datagramsThatAreLostAreCountedAndTheEndSurvivesTheLossOfTwoMarks() throws Exception {
        // 101 data (0 to 100), then the marks 101, 102, 103.
        try (DatagramSocket node = lossyNode(receiver.address(), i -> i == 0 || i == 50 || i == 100 || i == 101 || i == 102);
                ClientStream stream = client.open(through((InetSocketAddress) node.getLocalSocketAddress()).packetSize(1008))) {
            int payload = 0;
            for (int i = 0; i < 101; i++) {
                stream.send(new byte[500]);
                payload += 500;
            }
            stream.finish();
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(StreamTest.all(incoming)).hasSize(payload - 3 * 500);
                assertThat(incoming.missing()).isEqualTo(3);
            }
        }
    }

    @Test
    @Tag("long")
    void aStreamWhoseEndNeverComesIsLostAfterTheIdleTime() throws Exception {
        try (ClientStream stream = client.open(through(receiver.address()))) {
            stream.send(new byte[10]);
            try (IncomingStream incoming = receiver.accept()) {
                incoming.receive().release();
                assertThatThrownBy(incoming::receive).isInstanceOfSatisfying(AnepException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.IDLE_TIMEOUT));
            }
        }
    }

    @Test
    void anAnswerAndARefusalFindTheirWayBack() throws Exception {
        try (ClientStream stream = client.open(through(receiver.address()))) {
            stream.send(new byte[10]);
            IncomingStream incoming = receiver.accept();
            incoming.send(new byte[20]);
            ByteBuf answer = stream.receive();
            assertThat(answer.readableBytes()).isEqualTo(20);
            answer.release();
            incoming.refuse(ErrorCode.STORAGE, "the disk is full");
            assertThatThrownBy(stream::receive).isInstanceOf(StreamRefusedException.class).hasMessage("EE-409 the disk is full");
        }
    }

    @Test
    void aNodeThatIsNotThereIsUnreachable() throws Exception {
        InetSocketAddress gone;
        try (DatagramSocket socket = new DatagramSocket(StreamTest.ANY)) {
            gone = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        try (ClientStream stream = client.open(through(gone))) {
            assertThatThrownBy(() -> {
                while (true) {
                    stream.send(new byte[100]);
                    Thread.sleep(5);
                }
            }).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
        }
    }

    @Test
    void garbageIsCountedAndDisturbsNoStream() throws Exception {
        Random random = new Random(9);
        try (DatagramSocket socket = new DatagramSocket(); ClientStream stream = client.open(through(receiver.address()))) {
            stream.send(new byte[10]);
            try (IncomingStream incoming = receiver.accept()) {
                for (int i = 0; i < 500; i++) {
                    byte[] garbage = new byte[random.nextInt(100)];
                    random.nextBytes(garbage);
                    socket.send(new DatagramPacket(garbage, garbage.length, receiver.address()));
                }
                await().untilAsserted(() -> assertThat(receiver.malformed()).isGreaterThan(450));
                stream.send(new byte[10]);
                stream.finish();
                assertThat(StreamTest.all(incoming)).hasSize(20);
            }
        }
    }

    @Test
    void anEarlierDatagramThatComesLateIsCountedAsOutOfOrderAndNotAsMissing() throws Exception {
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int sequence : new int[] {0, 2, 1, 3}) {
                ByteBuf packet = new PacketBuilder(0x5401).options(new org.tamanoir.anep.PacketOptions().stream(5, sequence))
                        .payload(io.netty.buffer.Unpooled.wrappedBuffer(new byte[sequence == 3 ? 0 : 1]))
                        .build(UnpooledByteBufAllocator.DEFAULT);
                byte[] octets = new byte[packet.readableBytes()];
                packet.readBytes(octets).release();
                socket.send(new DatagramPacket(octets, octets.length, receiver.address()));
            }
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(StreamTest.all(incoming)).hasSize(3);
                assertThat(incoming.disordered()).isEqualTo(1);
                assertThat(incoming.missing()).isZero();
            }
        }
    }
}
