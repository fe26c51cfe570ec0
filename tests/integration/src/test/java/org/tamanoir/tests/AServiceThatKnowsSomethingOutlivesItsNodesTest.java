package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.PacketStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.tests.services.Replacer;
import org.tamanoir.tests.services.Scrambler;

/** {@code resume=checkpoint}: two nodes scramble and unscramble, each by how many octets it has seen; SIGKILL takes one after the other. */
@Tag("long")
@Timeout(120)
class AServiceThatKnowsSomethingOutlivesItsNodesTest {
    private static final int TYPE = 0x5500;
    private static final int OCTETS = 12_000_000;
    private static final int PIECE = 50_000;
    private static final SessionSettings BRIEF = new SessionSettings(SessionSettings.PRESET.ring(), SessionSettings.PRESET.memory(), Duration.ofSeconds(8), 8);

    private Grid grid;
    private final List<NodeProgram> nodes = new ArrayList<>();
    private TamanoirReceiver receiver;
    private TamanoirClient client;

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        receiver = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sessions(BRIEF).keepsItself(true));
        client = new TamanoirClient();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        receiver.close();
        nodes.forEach(NodeProgram::close);
        grid.close();
    }

    private ServiceBundle scrambler(String level) {
        return new ServiceBundle("scrambler", TYPE, level, Scrambler.class).attribute("resume=\"checkpoint\"");
    }

    private NodeProgram node(String name, String... more) {
        List<String> options = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--repository", grid.repository().url()));
        options.addAll(List.of(more));
        NodeProgram node = new NodeProgram(grid.directory().resolve(name), options.toArray(String[]::new));
        nodes.add(node);
        return node;
    }

    private NodeProgram nodeTo(String name, NodeProgram next) {
        return node(name, "--route", "127.0.0.0/8=127.0.0.1:" + next.address().getPort());
    }

    private ClientStream open(SessionSettings settings, NodeProgram... ways) throws InterruptedException {
        return client.open(new StreamRequest().via(Arrays.stream(ways).map(way -> new NodeAddress(way.address(), false)).toArray(NodeAddress[]::new))
                .to(receiver.address()).services(TYPE).sessions(settings));
    }

    private static byte[] octets(int of) {
        byte[] octets = new byte[OCTETS];
        new Random(of).nextBytes(octets);
        return octets;
    }

    private static byte[] all(PacketStream stream) throws InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf octets = stream.receive(); octets != null; octets = stream.receive()) {
            all.writeBytes(ByteBufUtil.getBytes(octets));
            octets.release();
        }
        return all.toByteArray();
    }

    /** Sends what it has in pieces, and does something now and then. */
    private static void send(PacketStream stream, byte[] octets, Runnable sometimes) {
        try {
            for (int at = 0; at < octets.length; at += PIECE) {
                if (at % (OCTETS / 3) == 0 && at > 0) {
                    sometimes.run();
                }
                stream.send(Arrays.copyOfRange(octets, at, Math.min(octets.length, at + PIECE)));
            }
            stream.finish();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"middle", "heavy"})
    void itGoesOnInOtherNodesWithWhatItKnew(String level) throws Exception {
        grid.push(scrambler(level).in(grid.directory()));
        NodeProgram last = node("last");
        NodeProgram[] firsts = {nodeTo("first", last), nodeTo("second", last), nodeTo("third", last)};
        byte[] there = octets(1);
        byte[] back = octets(2);
        CompletableFuture<byte[]> arrived = new CompletableFuture<>();
        CompletableFuture<Void> answering = Grid.async(() -> {
            try (IncomingStream incoming = receiver.accept()) {
                CompletableFuture<Void> sending = Grid.async(() -> send(incoming, back, () -> { }));
                arrived.complete(all(incoming));
                sending.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        try (ClientStream stream = open(SessionSettings.PRESET, firsts)) {
            int[] killed = {0};
            CompletableFuture<Void> sending = Grid.async(() -> send(stream, there, () -> firsts[killed[0]++].kill()));
            byte[] returned = all(stream);
            sending.get(60, TimeUnit.SECONDS);
            assertThat(Arrays.equals(returned, back)).as("what came back").isTrue();
            assertThat(killed[0]).isEqualTo(2);
        }
        assertThat(Arrays.equals(arrived.get(), there)).as("what arrived").isTrue();
        answering.get(20, TimeUnit.SECONDS);
    }

    /** What one version knew another one may not understand: the session waits for a way with the same one, and says why when none comes. */
    @Test
    void anotherVersionIsNotGivenWhatThisOneKnew() throws Exception {
        grid.push(scrambler("middle").in(grid.directory()));
        NodeProgram last = node("last");
        NodeProgram old = nodeTo("old", last);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> arriving = Grid.async(() -> {
            try (IncomingStream incoming = receiver.accept()) {
                incoming.receive().release();
                begun.complete(null);
                assertThatThrownBy(() -> all(incoming)).isInstanceOf(AnepException.class);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Path later = scrambler("middle").version("1.1.0").in(grid.directory());
        // It fetches what is newest when its first stream comes.
        NodeProgram young = nodeTo("young", last);
        try (ClientStream stream = open(BRIEF, old, young)) {
            stream.send(new byte[PIECE]);
            begun.get(20, TimeUnit.SECONDS);
            grid.push(later);
            old.kill();
            assertThatThrownBy(() -> {
                stream.send(new byte[PIECE]);
                stream.complete();
            }).isInstanceOfSatisfying(AnepException.class, why -> {
                assertThat(why.code()).isEqualTo(ErrorCode.SESSION_LOST);
                assertThat(why).hasMessageContaining("EE-230").hasMessageContaining("scrambler 1.1.0").hasMessageContaining("scrambler 1.0.0");
            });
        }
        arriving.get(80, TimeUnit.SECONDS);
    }

    /** A declaration that is not kept is a defect of the service, and what is too large to travel is said before anything is lost. */
    @Test
    void aHandlerWithoutCheckpointsIsRefused() throws Exception {
        grid.push(new ServiceBundle("forgetful", TYPE, "middle", Replacer.class).attribute("resume=\"checkpoint\"").in(grid.directory()));
        NodeProgram node = node("node");
        assertThatThrownBy(() -> {
            try (ClientStream stream = open(SessionSettings.PRESET, node)) {
                stream.send(new byte[1]);
                stream.complete();
            }
        }).isInstanceOfSatisfying(AnepException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.SERVICE_ERROR));
    }
}
