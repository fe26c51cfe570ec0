package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.resumable.SessionSettings;

/** Streams of the library on sessions, without a node between: what is sent is kept at the far end when {@code finish} returns, and not before. */
@ExtendWith(Leaks.class)
@Timeout(20)
class StreamsThatOutliveNodesTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    Path directory;

    private static byte[] random(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    private static StreamRequest request(TamanoirReceiver receiver) {
        return new StreamRequest().via(receiver.address()).to(receiver.address()).services("monitoring").sessions(SessionSettings.PRESET);
    }

    private static TamanoirReceiver receiver(boolean keepsItself) {
        return TamanoirReceiver.listen(new ReceiverOptions(ANY).sessions(SessionSettings.PRESET).keepsItself(keepsItself));
    }

    private static byte[] all(PacketStream stream) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf octets = stream.receive(); octets != null; octets = stream.receive()) {
            all.writeBytes(ByteBufUtil.getBytes(octets));
            octets.release();
        }
        return all.toByteArray();
    }

    @Test
    void aFileArrivesAndBothSidesAreDoneAtOnce() throws Exception {
        byte[] octets = random(20_000_000);
        Path file = Files.write(directory.resolve("file"), octets);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (TamanoirReceiver receiver = receiver(true)) {
            PlainNode.start("receiver", () -> {
                try (IncomingStream stream = receiver.accept()) {
                    byte[] all = all(stream);
                    stream.finish();
                    got.complete(all);
                }
            });
            long start = System.nanoTime();
            try (TamanoirClient client = new TamanoirClient(); ClientStream stream = client.open(request(receiver))) {
                assertThat(stream.sendFile(file)).isEqualTo(octets.length);
                stream.complete();
            }
            assertThat(Arrays.equals(got.get(), octets)).isTrue();
            assertThat((System.nanoTime() - start) / 1e9).as("nobody waits for a time-out").isLessThan(4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("long")
    void arraysThatAreUsedAgainAreSentAsTheyWereAndInTheirOrder(boolean sessions) throws Exception {
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        try (TamanoirReceiver receiver = sessions ? receiver(true) : TamanoirReceiver.listen(new ReceiverOptions(ANY)); TamanoirClient client = new TamanoirClient()) {
            PlainNode.start("receiver", () -> {
                try (IncomingStream stream = receiver.accept()) {
                    got.complete(all(stream));
                    stream.send(new byte[] {1, 2, 3});
                    stream.finish();
                }
            });
            try (ClientStream stream = client.open(request(receiver).sessions(sessions ? SessionSettings.PRESET : null))) {
                byte[] array = new byte[10_000];
                for (int i = 0; i < 2000; i++) {
                    new Random(i).nextBytes(array);
                    sent.writeBytes(array);
                    stream.send(array);
                }
                stream.finish();
                assertThat(all(stream)).containsExactly(1, 2, 3);
            }
            assertThat(Arrays.equals(got.get(), sent.toByteArray())).isTrue();
        }
    }

    @Test
    void theEndIsReportedWhenTheReceiverHasKeptEverythingAndNotBefore() throws Exception {
        CompletableFuture<Void> keep = new CompletableFuture<>();
        try (TamanoirReceiver receiver = receiver(false); TamanoirClient client = new TamanoirClient(); ClientStream stream = client.open(request(receiver))) {
            PlainNode.start("receiver", () -> {
                try (IncomingStream incoming = receiver.accept()) {
                    byte[] all = all(incoming);
                    keep.get();
                    incoming.kept(all.length);
                    incoming.finish();
                }
            });
            stream.send(random(100_000));
            CompletableFuture<Void> finished = stream.finishAsync().toCompletableFuture();
            Thread.sleep(300);
            assertThat(finished).isNotDone();
            keep.complete(null);
            stream.complete();
            assertThat(finished).isCompleted();
        }
    }

    /** The word with which the far end leaves; decision 0039. */
    private static boolean isLastWord(byte[] packet) {
        int mark = PlainNode.option(packet, 0x800E);
        return mark >= 0 && packet[mark + 4] == 1 && (packet[mark + 5] & 0x20) != 0;
    }

    /** Wrong: a far end that takes the clean end of a chain that died for the farewell of its opener, and does not know it when it comes again. */
    @Test
    void aChainThatDiesWithTheLastWordMakesNoFailureOfASuccess() throws Exception {
        AtomicInteger chains = new AtomicInteger();
        byte[] octets = random(100_000);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        long closing;
        try (TamanoirReceiver receiver = receiver(false)) {
            PlainNode.start("receiver", () -> {
                try (IncomingStream incoming = receiver.accept()) {
                    byte[] all = all(incoming);
                    CompletableFuture<Void> finished = incoming.finishAsync().toCompletableFuture();
                    // When the opener has answered that, only the last word says that everything is kept.
                    Thread.sleep(200);
                    incoming.kept(all.length);
                    finished.get();
                    got.complete(all);
                }
            });
            try (PlainNode node = new PlainNode(near -> carry(near, receiver.address(), chains.incrementAndGet() == 1)); TamanoirClient client = new TamanoirClient();
                    ClientStream stream = client.open(request(receiver).via(node.address()))) {
                stream.send(octets);
                stream.complete();
            }
            assertThat(got.get()).isEqualTo(octets);
            assertThat(chains).as("chains of nodes").hasValue(2);
            closing = System.nanoTime();
        }
        assertThat((System.nanoTime() - closing) / 1e9).as("the far end has heard the last word of the opener, and waits for nobody").isLessThan(1.5);
    }

    /** @param dies whether this node does not pass on the last word of the far end, and closes its connections as a proxy does */
    private static void carry(Socket near, InetSocketAddress to, boolean dies) throws Exception {
        try (Socket far = new Socket(to.getAddress(), to.getPort())) {
            Thread there = PlainNode.start("there", () -> {
                near.getInputStream().transferTo(far.getOutputStream());
                far.shutdownOutput();
            });
            DataInputStream back = new DataInputStream(far.getInputStream());
            for (byte[] packet = PlainNode.readPacket(back); packet != null; packet = PlainNode.readPacket(back)) {
                if (dies && isLastWord(packet)) {
                    return;
                }
                near.getOutputStream().write(packet);
            }
            near.shutdownOutput();
            there.join();
        }
    }

    /** It is in its send when what arrives fills its inbox: the acknowledgements that make room for that send come behind. */
    @Test
    @Tag("long")
    void anEchoThatTakesNothingWhileItSendsIsNoDeadlock() throws Exception {
        SessionSettings small = new SessionSettings(256 << 10, 1 << 20, Duration.ofSeconds(10), 10);
        byte[] octets = random(12_000_000);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (TamanoirReceiver receiver = TamanoirReceiver.listen(new ReceiverOptions(ANY).sessions(small).keepsItself(true)); TamanoirClient client = new TamanoirClient()) {
            PlainNode.start("echo", () -> {
                try (IncomingStream stream = receiver.accept()) {
                    for (ByteBuf part = stream.receive(); part != null; part = stream.receive()) {
                        byte[] copy = ByteBufUtil.getBytes(part);
                        part.release();
                        stream.send(copy);
                    }
                    stream.finish();
                }
            });
            try (ClientStream stream = client.open(request(receiver))) {
                PlainNode.start("taker", () -> got.complete(all(stream)));
                stream.send(octets);
                stream.finish();
                assertThat(Arrays.equals(got.get(), octets)).isTrue();
            }
        }
    }

    @Test
    void whoGivesUpIsHeard() throws Exception {
        try (TamanoirReceiver receiver = receiver(true); TamanoirClient client = new TamanoirClient(); ClientStream stream = client.open(request(receiver))) {
            stream.send(random(1000));
            try (IncomingStream incoming = receiver.accept()) {
                incoming.receive().release();
            }
            assertThatThrownBy(stream::receive).isInstanceOfSatisfying(AnepException.class, failure -> assertThat(failure.code()).isEqualTo(ErrorCode.SESSION_ABANDONED));
        }
    }
}
