package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** What a stream makes of nodes that refuse, die, dawdle, or are no nodes. */
@ExtendWith(Leaks.class)
@Timeout(120)
class BadNodeTest {
    private final TamanoirClient client = new TamanoirClient();

    @AfterEach
    void close() {
        client.close();
    }

    private ClientStream open(PlainNode node) throws InterruptedException {
        return client.open(new StreamRequest().via(node.address()).to(node.address()).services("forward"));
    }

    private static byte[] octets(ByteBuf buffer) {
        byte[] octets = new byte[buffer.readableBytes()];
        buffer.readBytes(octets);
        buffer.release();
        return octets;
    }

    private static byte[] error(ErrorCode code, String text) {
        return octets(PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, code, text, 7));
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StreamRefusedException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NO_ROUTE);
            assertThat(e.text()).isEqualTo("no route to 10.9.9.9");
        });
    }

    @Test
    void aRefusalReachesSendReceiveAndCloseAlike() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (PlainNode node = new PlainNode(connection -> {
            PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
            connection.getOutputStream().write(error(ErrorCode.NO_ROUTE, "no route to 10.9.9.9"));
            never.await();
        })) {
            ClientStream sending = open(node);
            refused(() -> {
                while (true) {
                    sending.send(new byte[100_000]);
                }
            });
            refused(sending::finish);
            sending.close();
            ClientStream receiving = open(node);
            refused(receiving::receive);
            refused(receiving::receive);
            receiving.close();
            ClientStream closing = open(node);
            closing.closed().toCompletableFuture().exceptionally(e -> null).get();
            refused(closing::close);
            never.countDown();
        }
    }

    @Test
    void theReasonOfANodeThatClosesAtOnceIsNotLostInItsReset() throws Exception {
        // The node leaves with octets unread, so its kernel sends a reset right behind the error packet.
        for (int i = 0; i < 50; i++) {
            try (PlainNode node = new PlainNode(connection -> {
                PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
                connection.getOutputStream().write(error(ErrorCode.NO_ROUTE, "no route to 10.9.9.9"));
            }); ClientStream stream = open(node)) {
                refused(() -> {
                    while (true) {
                        stream.send(new byte[60_000]);
                    }
                });
            }
        }
    }

    @Test
    void aNodeThatDiesIsALostConnection() throws Exception {
        try (PlainNode node = new PlainNode(connection -> {
            connection.getInputStream().read();
            connection.setSoLinger(true, 0);
        }); ClientStream stream = open(node)) {
            assertThatThrownBy(() -> {
                while (true) {
                    stream.send(new byte[60_000]);
                }
            }).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECTION_LOST));
        }
    }

    @Test
    void aStreamThatEndsInsideAPacketIsLost() throws Exception {
        byte[] packet = PlainNode.bare(0x5401, new byte[1000], 1000);
        try (PlainNode node = new PlainNode(connection -> {
            connection.getOutputStream().write(packet, 0, 500);
            connection.shutdownOutput();
            connection.getInputStream().readAllBytes();
        }); ClientStream stream = open(node)) {
            assertThatThrownBy(stream::receive).hasMessageContaining("EE-211").hasMessageContaining("inside a packet");
        }
    }

    @Test
    void packetsThatComeOctetByOctetArriveWhole() throws Exception {
        byte[] answer = "an answer in pieces".getBytes(StandardCharsets.US_ASCII);
        try (PlainNode node = new PlainNode(connection -> {
            connection.setTcpNoDelay(true);
            OutputStream out = connection.getOutputStream();
            DataInputStream in = new DataInputStream(connection.getInputStream());
            for (byte[] packet = PlainNode.readPacket(in); packet != null; packet = PlainNode.readPacket(in)) {
                for (byte octet : PlainNode.bare(0x5401, answer, answer.length)) {
                    out.write(octet);
                    Thread.sleep(1);
                }
            }
            connection.shutdownOutput();
        }); ClientStream stream = open(node)) {
            for (int i = 0; i < 4; i++) {
                stream.send(new byte[] {1});
            }
            stream.finish();
            assertThat(StreamTest.all(stream)).asString().isEqualTo("an answer in pieces".repeat(5));
        }
    }

    @Test
    void aPayloadThatIsStillEncodedIsAnErrorAndNotDelivered() throws Exception {
        byte[] encoded = octets(new PacketBuilder(0x5403).options(new PacketOptions().contentEncoding(ContentEncoding.ZSTD, 100))
                .payload(Unpooled.wrappedBuffer(new byte[50])).build(UnpooledByteBufAllocator.DEFAULT));
        try (PlainNode node = new PlainNode(connection -> {
            connection.getOutputStream().write(encoded);
            connection.getInputStream().readAllBytes();
        }); ClientStream stream = open(node)) {
            assertThatThrownBy(stream::receive).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONTENT));
        }
    }

    @Test
    @Tag("long")
    void garbageEndsTheStreamWithACodeAndNothingLeaks() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            byte[] garbage = new byte[1 + random.nextInt(5000)];
            random.nextBytes(garbage);
            // Some of it begins well, so that more than the version is looked at.
            if (i % 3 == 0) {
                byte[] good = PlainNode.bare(0x5401, garbage, Math.min(garbage.length, 100));
                System.arraycopy(good, 0, garbage, 0, Math.min(good.length, garbage.length));
            } else if (i % 3 == 1) {
                garbage[0] = 1;
            }
            try (PlainNode node = new PlainNode(connection -> {
                connection.getOutputStream().write(garbage);
                connection.shutdownOutput();
                connection.getInputStream().readAllBytes();
            }); ClientStream stream = open(node)) {
                assertThatThrownBy(() -> StreamTest.all(stream)).as("garbage %d, begins %s", i, Arrays.toString(Arrays.copyOf(garbage, 12)))
                        .isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code().number()).as(e.getMessage()).isBetween(101, 211));
            }
        }
    }

    @Test
    void garbageToAReceiverDisturbsNoOtherStream() throws Exception {
        try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(StreamTest.ANY));
                ClientStream good = client.open(new StreamRequest().via(receiver.address()).to(receiver.address()).services("forward"));
                IncomingStream incoming = receiver.accept()) {
            Random random = new Random(6);
            for (int i = 0; i < 100; i++) {
                byte[] garbage = new byte[1 + random.nextInt(2000)];
                random.nextBytes(garbage);
                garbage[0] = (byte) (i % 2);
                try (Socket socket = new Socket(receiver.address().getAddress(), receiver.address().getPort())) {
                    socket.getOutputStream().write(garbage);
                }
            }
            good.send(StreamTest.random(100_000));
            good.finish();
            assertThat(StreamTest.all(incoming)).isEqualTo(StreamTest.random(100_000));
        }
    }
}
