package org.tamanoir.benchmarks.cluster.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

/** The load against something that stands for a cluster, without a node: it is told to refuse, to change octets, and to change back ends. */
class TheStreamsFindWhatHappensToThemTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private final InetSocketAddress destination = new InetSocketAddress(HERE, 7);
    private ServerSocket server;
    private volatile boolean refuses;
    private volatile boolean changes;
    private volatile byte number = 2;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 100, HERE);
        daemon(this::accept);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private static void daemon(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                daemon(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            packet(in);
            while (!refuses) {
                byte[] octets = packet(in);
                octets[0] = number;
                octets[40] ^= changes ? 1 : 0;
                // In two packets: a node may cut as it likes.
                for (byte[] part : List.of(Arrays.copyOf(octets, 10), Arrays.copyOfRange(octets, 10, octets.length))) {
                    ByteBuf built = new PacketBuilder(0x5402).payload(Unpooled.wrappedBuffer(part)).build(UnpooledByteBufAllocator.DEFAULT);
                    byte[] whole = new byte[built.readableBytes()];
                    built.readBytes(whole);
                    built.release();
                    socket.getOutputStream().write(whole);
                }
            }
        } catch (IOException e) {
            // The other side has ended.
        }
    }

    /** The payload of the next packet. */
    private static byte[] packet(DataInputStream in) throws IOException {
        byte[] header = new byte[8];
        in.readFully(header);
        byte[] whole = Arrays.copyOf(header, (header[6] & 0xFF) << 8 | header[7] & 0xFF);
        in.readFully(whole, 8, whole.length - 8);
        ByteBuf payload = Packet.of(Unpooled.wrappedBuffer(whole)).payload();
        byte[] octets = new byte[payload.readableBytes()];
        payload.readBytes(octets);
        return octets;
    }

    private Question open() throws IOException {
        return new Question(new InetSocketAddress(HERE, server.getLocalPort()), destination, 10_000);
    }

    @Test
    void anAnswerIsWhatWasSentAndSaysWhoServed() throws Exception {
        try (Question question = open()) {
            assertThat(question.ask()).isEqualTo(2);
            assertThat(question.ask()).isEqualTo(2);
            changes = true;
            assertThatThrownBy(question::ask).isInstanceOf(Question.WrongAnswerException.class).hasMessageContaining("other octets");
        }
    }

    /** Wrong: to take what breaks for what ends, to count streams of the back end that was killed, or those that go on. */
    @Test
    void anOpenStreamThatBreaksIsFound() throws Exception {
        try (HeldStreams held = new HeldStreams(this::open)) {
            held.fill(3);
            assertThat(held.at(2)).isEqualTo(3);
            held.begin();
            await().until(() -> held.longestWait() > 0);
            assertThat(held.broken(0)).isEmpty();
            number = 3;
            await().until(() -> held.broken(0).size() == 3);
            assertThat(held.broken(0)).allSatisfy(why -> assertThat(why).contains("was 2 and is 3"));
            assertThat(held.broken(2)).isEmpty();
            assertThat(held.broken(1)).hasSize(3);
            held.fill(2);
            assertThat(held.at(3)).isEqualTo(2);
            refuses = true;
            await().until(() -> held.broken(0).size() == 2);
        }
    }

    @Test
    void newStreamsThatAreRefusedAreFoundAndNoOthers() throws Exception {
        try (NewStreams fresh = new NewStreams(this::open)) {
            await().until(() -> fresh.take().stream().anyMatch(attempt -> attempt.backEnd() == 2 && !attempt.failed()));
            refuses = true;
            await().until(() -> fresh.take().stream().anyMatch(Attempt::failed));
            Thread.sleep(300);
            assertThat(fresh.take()).isNotEmpty().allMatch(Attempt::failed);
            refuses = false;
            await().until(() -> fresh.take().stream().anyMatch(attempt -> !attempt.failed()));
        }
    }
}
