package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;

@ExtendWith(Leaks.class)
@Timeout(120)
class StreamTest {
    static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private TamanoirClient client;
    private TamanoirReceiver receiver;

    @BeforeEach
    void open() {
        client = new TamanoirClient();
        receiver = TamanoirReceiver.listen(new ReceiverOptions(ANY));
    }

    @AfterEach
    void close() {
        client.close();
        receiver.close();
    }

    private StreamRequest direct() {
        return new StreamRequest().via(receiver.address()).to(receiver.address()).services("monitoring");
    }

    static byte[] random(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    static byte[] hash(PacketStream stream) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
            digest.update(payload.nioBuffer());
            payload.release();
        }
        return digest.digest();
    }

    static byte[] all(PacketStream stream) throws InterruptedException {
        ByteBuf whole = io.netty.buffer.Unpooled.buffer();
        for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
            whole.writeBytes(payload);
            payload.release();
        }
        byte[] octets = new byte[whole.readableBytes()];
        whole.readBytes(octets);
        return octets;
    }

    @ParameterizedTest
    @CsvSource({"104857600, 60000, false, true", "10485761, 1400, false, false", "500001, 65535, true, false", "50007, 9, false, false",
            "0, 60000, false, true"})
    @Tag("long")
    void aFileArrivesIdentical(int size, int packetSize, boolean everyOption, boolean throughRelay, @TempDir Path folder) throws Exception {
        byte[] content = random(size);
        Path file = Files.write(folder.resolve("file"), content);
        try (PlainNode relay = PlainNode.relay()) {
            StreamRequest request = direct().packetSize(packetSize).checksum(everyOption).sequence(everyOption).timestamps(everyOption);
            try (ClientStream stream = client.open(throughRelay ? request.via(relay.address()) : request)) {
                CompletableFuture<byte[]> hash = new CompletableFuture<>();
                Thread taker = PlainNode.start("taker", () -> {
                    try (IncomingStream incoming = receiver.accept()) {
                        hash.complete(hash(incoming));
                        incoming.finish();
                    }
                });
                assertThat(stream.sendFile(file)).isEqualTo(size);
                stream.complete();
                taker.join();
                assertThat(hash.get()).isEqualTo(MessageDigest.getInstance("SHA-256").digest(content));
            }
        }
    }

    /** Wrong: octets that are in the buffer when the socket takes them, and not those that were in it when it was sent. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBufferCanBeUsedAgainWhenSendReturns(boolean direct) throws Exception {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(256 << 10) : ByteBuffer.allocate(256 << 10);
        try (ClientStream stream = client.open(direct()); IncomingStream incoming = receiver.accept()) {
            // Until nothing goes on because nobody takes it, and the last one waits for the socket.
            do {
                stream.send(buffer.clear());
            } while (stream.unsentOctets() < buffer.capacity());
            stream.send(buffer.clear());
            byte[] others = new byte[buffer.capacity()];
            Arrays.fill(others, (byte) 1);
            buffer.clear().put(others);
            stream.finishAsync();
            byte[] arrived = all(incoming);
            incoming.finish();
            assertThat(Arrays.equals(arrived, new byte[arrived.length])).isTrue();
        }
    }

    @Test
    void theFirstPacketCarriesTheOptionsAndLaterOnesAreBareAndOfTheSizeAskedFor() throws Exception {
        InetSocketAddress destination = new InetSocketAddress("10.1.2.3", 7000);
        try (ClientStream stream = client.open(direct().to(destination).services("monitoring", "compression", "0x5501")
                .delivery(Delivery.RAW).streamId(42).packetSize(108))) {
            stream.send(random(250));
            stream.finish();
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(incoming.typeId()).isEqualTo(0x5402);
                assertThat(incoming.id()).isEqualTo(42);
                assertThat(incoming.opening().chain()).containsExactly(0x5403, 0x5501);
                assertThat(incoming.opening().destination().inetAddress()).isEqualTo(destination.getAddress());
                assertThat(incoming.opening().port()).isEqualTo(7000);
                assertThat(incoming.opening().delivery()).isEqualTo(Delivery.RAW);
                for (int length : new int[] {108, 108, 58}) {
                    Packet packet = incoming.receivePacket();
                    assertThat(packet.length()).isEqualTo(length);
                    assertThat(packet.headerLength()).isEqualTo(8);
                    assertThat(packet.discardIfUnknown()).isTrue();
                    packet.release();
                }
                assertThat(incoming.receivePacket()).isNull();
            }
        }
    }

    @Test
    @Tag("long")
    void aReceiverThatDoesNotReadStopsTheSenderAndLittleIsHeld() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        // Threads of tests before may still hold some.
        long before = Leaks.pinned();
        try (ClientStream stream = client.open(direct())) {
            byte[] block = random(100_000);
            Thread sender = PlainNode.start("sender", () -> {
                while (!stop.get()) {
                    stream.send(block);
                }
                stream.finish();
            });
            try (IncomingStream incoming = receiver.accept()) {
                long[] last = {-1};
                await().pollInterval(Duration.ofMillis(500)).until(() -> last[0] == (last[0] = stream.sentOctets()) && last[0] > 0);
                long held = Leaks.pinned() - before;
                System.out.printf("a stopped stream: %d octets sent, %d unsent, %d untaken, %d octets of buffers held%n", last[0],
                        stream.unsentOctets(), incoming.untakenOctets(), held);
                assertThat(stream.unsentOctets()).isBetween(1L, (long) Outbox.WINDOW + Outbox.BATCH);
                assertThat(incoming.untakenOctets()).isBetween(1L, (long) Inbox.LIMIT + (512 << 10));
                assertThat(held).isLessThan(5L << 20);
                assertThat(sender.isAlive()).isTrue();
                stop.set(true);
                assertThat(all(incoming).length).isEqualTo((int) stream.sentOctets());
                sender.join();
            }
        }
    }

    /** Wrong: a buffer of which the socket is given slices, and what is written into it next is what leaves. */
    @Test
    void aBufferMayBeUsedAgainWhenItIsSent() throws Exception {
        int size = 100_000;
        int count = 400;
        try (ClientStream stream = client.open(direct())) {
            Thread sender = PlainNode.start("sender", () -> {
                ByteBuffer block = ByteBuffer.allocateDirect(size);
                for (int n = 0; n < count; n++) {
                    byte[] octets = new byte[size];
                    Arrays.fill(octets, (byte) n);
                    block.clear().put(octets).flip();
                    stream.send(block);
                }
                stream.finish();
            });
            // The socket takes no more: what is in the window has been sent, and not written.
            await().until(() -> stream.state.outbox().inFlight() > Outbox.WINDOW - size);
            try (IncomingStream incoming = receiver.accept()) {
                byte[] came = all(incoming);
                assertThat(came).hasSize(size * count);
                for (int i = 0; i < came.length; i++) {
                    if (came[i] != (byte) (i / size)) {
                        throw new AssertionError("octet " + i + " is of block " + came[i]);
                    }
                }
            }
            sender.join();
        }
    }

    @Test
    void eachSideFinishesOnItsOwn() throws Exception {
        try (ClientStream stream = client.open(direct())) {
            stream.send("question".getBytes(StandardCharsets.US_ASCII));
            stream.finish();
            try (IncomingStream incoming = receiver.accept()) {
                assertThat(all(incoming)).asString().isEqualTo("question");
                incoming.send("answer".getBytes(StandardCharsets.US_ASCII));
                incoming.finish();
                assertThat(all(stream)).asString().isEqualTo("answer");
            }
        }
        try (ClientStream stream = client.open(direct()); IncomingStream incoming = receiver.accept()) {
            incoming.send("greeting".getBytes(StandardCharsets.US_ASCII));
            incoming.finish();
            assertThat(all(stream)).asString().isEqualTo("greeting");
            // More than the sockets hold, so that the sender has to wait for room after the other side's end.
            byte[] after = random(32 << 20);
            Thread sender = PlainNode.start("sender", () -> {
                stream.send(after);
                stream.finish();
            });
            await().pollInterval(Duration.ofMillis(300)).until(() -> stream.unsentOctets() > 0);
            assertThat(all(incoming)).isEqualTo(after);
            sender.join();
        }
    }

    @Test
    void aStreamThatIsGivenUpBreaksForTheOtherSideAndDoesNotEnd() throws Exception {
        ClientStream stream = client.open(direct());
        stream.send(random(1000));
        try (IncomingStream incoming = receiver.accept()) {
            incoming.receive().release();
            stream.close();
            assertThatThrownBy(incoming::receive).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECTION_LOST));
        }
    }

    @Test
    void whatTheReceiverRefusesReachesTheSenderWithItsCode() throws Exception {
        try (ClientStream stream = client.open(direct())) {
            stream.send(random(1_000_000));
            IncomingStream incoming = receiver.accept();
            incoming.refuse(ErrorCode.STORAGE, "the disk is full");
            incoming.close();
            assertThatThrownBy(stream::complete).isInstanceOf(StreamRefusedException.class).hasMessage("EE-409 the disk is full");
        }
    }

    @Test
    void aRefusalReachesASenderThatHasFinishedAlready() throws Exception {
        // The receiver may read the sender's end while its error packet is on the way out.
        for (int i = 0; i < 200; i++) {
            try (ClientStream stream = client.open(direct())) {
                stream.send(random(10));
                stream.finish();
                receiver.accept().refuse(ErrorCode.NO_ROUTE, "no route");
                assertThatThrownBy(stream::receive).isInstanceOf(StreamRefusedException.class).hasMessage("EE-202 no route");
            }
        }
    }

    @Test
    void oneStreamTooManyIsRefusedWithACode() throws Exception {
        try (TamanoirReceiver small = TamanoirReceiver.listen(new ReceiverOptions(ANY).maxStreams(1));
                ClientStream first = client.open(direct().via(small.address()));
                IncomingStream incoming = small.accept();
                ClientStream second = client.open(direct().via(small.address()))) {
            assertThatThrownBy(second::receive).isInstanceOfSatisfying(StreamRefusedException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_STREAMS));
            first.send(random(10));
            first.finish();
            assertThat(all(incoming)).hasSize(10);
            assertThat(small.refused()).isEqualTo(1);
        }
    }

    @Test
    void asynchronousSendsCompleteAsThereIsRoomAndSubscribersGetWhatTheyAskFor() throws Exception {
        byte[] content = random(32 << 20);
        try (ClientStream stream = client.open(direct()); IncomingStream incoming = receiver.accept()) {
            CountingSubscriber subscriber = new CountingSubscriber();
            incoming.payloads().subscribe(subscriber);
            CompletableFuture<Void> taken = stream.sendAsync(PooledByteBufAllocator.DEFAULT.directBuffer(content.length)
                    .writeBytes(content)).toCompletableFuture();
            subscriber.request(3);
            await().until(() -> subscriber.count() == 3);
            Thread.sleep(200);
            assertThat(subscriber.count()).isEqualTo(3);
            assertThat(taken).isNotDone();
            assertThatThrownBy(() -> stream.sendAsync(PooledByteBufAllocator.DEFAULT.directBuffer(1).writeByte(1)))
                    .isInstanceOf(IllegalStateException.class);
            subscriber.request(Long.MAX_VALUE);
            taken.get();
            stream.finishAsync().toCompletableFuture().get();
            assertThat(subscriber.whole().get()).isEqualTo(content);
        }
    }

    @Test
    void whatAUserGetsWrongHasACodeAndSaysWhatIsRight() throws Exception {
        assertThatThrownBy(() -> direct().services("gzip")).hasMessageContaining("EE-408").hasMessageContaining("forward, monitoring, compression");
        assertThatThrownBy(() -> client.open(direct().packetSize(8))).hasMessageContaining("EE-408").hasMessageContaining("from 9")
                .hasMessageContaining("65535");
        assertThatThrownBy(() -> client.open(direct().packetSize(70_000))).hasMessageContaining("EE-408");
        assertThatThrownBy(() -> client.open(new StreamRequest())).hasMessageContaining("EE-408");
        assertThatThrownBy(() -> client.open(direct().via(InetSocketAddress.createUnresolved("no-such-host.invalid", 1))))
                .hasMessageContaining("EE-204").hasMessageContaining("no-such-host.invalid");
        InetSocketAddress gone = receiver.address();
        receiver.close();
        assertThatThrownBy(() -> client.open(direct().via(gone))).hasMessageContaining("EE-204").hasMessageContaining("refused");
    }
}
