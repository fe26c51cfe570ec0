package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.Packet;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * A node's process and an attacker who sends in the names of others: they are sockets at other loopback addresses that never read what
 * comes, as whoever has a forged address would.
 */
@Timeout(60)
@Tag("long")
class ANodeAmplifiesNoMulticastTest {
    private static final long SESSION = 0xbad;
    private static final int VICTIMS = 50;
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 5405);
    private static final SessionKey KEY = SessionKey.of(new byte[0], SESSION, 7);
    private static final SessionTerms TERMS = new SessionTerms(GROUP, 0, 1_000, 1_400, 1_000_000_000, false, 7);

    /** Somebody at a loopback address, and how many octets it has sent to the node. */
    private final class Party implements AutoCloseable {
        private final DatagramSocket socket;
        private long sent;

        private Party(String address) throws IOException {
            socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByName(address), 0));
            socket.setSoTimeout(200);
        }

        private void say(Message message) throws IOException {
            ByteBuf packet = Codec.encode(message, UnpooledByteBufAllocator.DEFAULT);
            byte[] octets = new byte[packet.readableBytes()];
            packet.readBytes(octets).release();
            socket.send(new DatagramPacket(octets, octets.length, new InetSocketAddress("127.0.0.1", node.address().getPort())));
            sent += octets.length;
        }

        /** Everything that came, when nothing more comes. */
        private List<byte[]> heard() throws IOException {
            List<byte[]> all = new ArrayList<>();
            DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
            try {
                while (true) {
                    socket.receive(packet);
                    all.add(Arrays.copyOf(packet.getData(), packet.getLength()));
                }
            } catch (SocketTimeoutException e) {
                return all;
            }
        }

        private List<Message> messages() throws IOException {
            return heard().stream().map(octets -> Codec.decode(Packet.of(Unpooled.wrappedBuffer(octets)))).toList();
        }

        /** Says it, answers what is asked, and says it again. */
        private List<Message> sayHonestly(Message message) throws IOException {
            say(message);
            List<Message> heard = messages();
            for (Message each : heard) {
                if (each instanceof Challenge challenge) {
                    say(new Answer(challenge.session(), challenge.cookie()));
                    say(message);
                    return messages();
                }
            }
            return heard;
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @TempDir
    Path directory;
    private Grid grid;
    private NodeProgram node;
    private final List<Party> victims = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        grid = Grid.withRepository();
        grid.push(Grid.bundle("dyram"));
    }

    private void node(String listen, String links) throws IOException {
        Path file = Files.writeString(directory.resolve("node.yaml"), "listen: '" + listen + "'\nrepositories: ['" + grid.repository().url() + "']\n" + links
                + "\n");
        node = new NodeProgram(directory.resolve("data"), "--config", file.toString());
        for (int i = 0; i < VICTIMS; i++) {
            victims.add(new Party("127.0.1." + (i + 1)));
        }
    }

    @AfterEach
    void stop() throws IOException {
        victims.forEach(Party::close);
        node.close();
        grid.close();
    }

    private static Announce announce(int number) {
        return KEY.sign(new Announce(SESSION, number, 16, false, TERMS, SessionKey.NO_TAG));
    }

    private static Join join(String name) {
        return KEY.sign(new Join(SESSION, name, 1, false, false, SessionKey.NO_TAG));
    }

    private static Accept accept(String name, int member) {
        return KEY.sign(new Accept(SESSION, name, 1, member, 99, SessionKey.NO_TAG));
    }

    private int sessions() {
        int sessions = 0;
        for (JsonNode handler : node.admin().json("/links").path("handlers")) {
            sessions += handler.path("report").path("sessions").size();
        }
        return sessions;
    }

    /** Until its service is there and its session is known. */
    private void announceHonestly(Party attacker) {
        int[] number = new int[1];
        await().ignoreExceptions().until(() -> {
            attacker.sayHonestly(announce(++number[0]));
            return sessions() == 1;
        });
    }

    private void assertNoVictim() throws IOException {
        List<Long> heard = octetsHeard();
        for (int i = 0; i < VICTIMS; i++) {
            long sent = victims.get(i).sent;
            assertThat(heard.get(i)).as("octets to one that has sent %d", sent).isLessThanOrEqualTo(3 * sent);
        }
    }

    private List<Long> octetsHeard() throws IOException {
        List<Long> heard = new ArrayList<>();
        for (Party victim : victims) {
            heard.add(victim.heard().stream().mapToLong(octets -> octets.length).sum());
        }
        return heard;
    }

    @Test
    void fiftyJoinsInTheNamesOfOthersBringThemNoContent() throws Exception {
        node("127.0.0.1:0", "");
        try (Party attacker = new Party("127.0.0.2"); Party honest = new Party("127.0.0.3")) {
            announceHonestly(attacker);
            for (int i = 0; i < VICTIMS; i++) {
                victims.get(i).say(join("victim " + i));
                attacker.say(accept("victim " + i, i + 1));
            }
            honest.sayHonestly(join("honest"));
            attacker.say(accept("honest", 1_000));
            for (int i = 0; i < 20; i++) {
                attacker.say(new Data(SESSION, i, false, 0, 0, Unpooled.wrappedBuffer(new byte[1_416]), null));
            }

            assertThat(honest.messages()).as("one that has answered takes part").filteredOn(Data.class::isInstance).hasSize(20);
            assertNoVictim();
        }
    }

    @Test
    void listensInTheNamesOfOthersBringThemNoAnnouncements() throws Exception {
        node("127.0.0.1:0", "");
        try (Party attacker = new Party("127.0.0.2"); Party honest = new Party("127.0.0.3")) {
            announceHonestly(attacker);
            for (Party victim : victims) {
                victim.say(new Listen(GROUP));
            }
            for (int number = 100; number < 105; number++) {
                attacker.say(announce(number));
                Thread.sleep(150);
            }

            assertThat(honest.sayHonestly(new Listen(GROUP))).as("one that has answered is told").anyMatch(Announce.class::isInstance);
            assertNoVictim();
        }
    }

    /** The operator has listed one host: to others the node says nothing at all, fetches nothing for them, and counts. */
    @Test
    void whoIsNotListedHearsNothing() throws Exception {
        node("0.0.0.0:0", "links: {members: [127.0.0.2]}");
        try (Party listed = new Party("127.0.0.2")) {
            for (Party victim : victims) {
                victim.say(announce(1));
                victim.say(new Listen(GROUP));
            }
            await().until(() -> node.admin().json("/links").path("dropped").path("not-listed").asInt() == 2 * VICTIMS);
            assertThat(node.admin().json("/services").toString()).doesNotContain("dyram");
            announceHonestly(listed);
            for (Party victim : victims) {
                victim.say(join("victim"));
                victim.say(accept("victim", 1));
                victim.say(new Message.Leave(SESSION, 1, 1));
            }

            assertThat(octetsHeard()).containsOnly(0L);
        }
    }

    /** Nobody is listed on an address beyond loopback unless the operator says so. */
    @Test
    void aNodeBeyondLoopbackHasNoMembers() throws Exception {
        node("0.0.0.0:0", "");
        victims.get(0).say(new Listen(GROUP));

        await().until(() -> node.admin().json("/links").path("dropped").path("not-listed").asInt() == 1);
        assertThat(victims.get(0).heard()).isEmpty();
    }
}
