package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.service.rule.Prefix;

/** Connections that come in at a node with TLS, over sockets. */
class FirstOctetTest {
    @TempDir
    Path directory;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final EventLoops loops = new EventLoops(1, false, () -> 64 << 20);
    private Identity identity;
    private Tls tls;
    private InetSocketAddress address;

    private void listen() {
        identity = new Identity(new Authority(directory, "ca").certify("a", "URI:spiffe://example.org/node/a", 20));
        tls = new Tls(new Tls.Settings(identity, true, List.of(Prefix.parse("127.0.0.0/8")), any -> true, Duration.ofSeconds(1)));
        Channel listener = new TcpSockets(loops, tls).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), true, new Taker());
        address = (InetSocketAddress) listener.localAddress();
    }

    @AfterEach
    void stop() {
        loops.close();
        tls.close();
        identity.close();
    }

    private final class Taker implements TcpSockets.Acceptor {
        @Override
        public long admit(InetSocketAddress peer) {
            return 1;
        }

        @Override
        public void gone(InetSocketAddress peer) {
            told.add("gone");
        }

        @Override
        public void accepted(TcpSockets.NewLeg connection, long number) {
            told.add("accepted");
            TcpLeg[] leg = new TcpLeg[1];
            leg[0] = connection.leg(new Stage(null) {
                @Override
                public void packet(Packet packet) {
                    told.add(packet.payload().toString(StandardCharsets.US_ASCII));
                }

                @Override
                public void flush() {
                    // Nothing is gathered.
                }
            });
            leg[0].events(new TcpEvents() {
                @Override
                public void ended(boolean clean) {
                    told.add("ended " + clean);
                    leg[0].abort();
                }

                @Override
                public void broken(AnepException cause) {
                    told.add("broken");
                }

                @Override
                public void finished() {
                    told.add("finished");
                }

                @Override
                public void room(boolean room) {
                    told.add("room");
                }
            });
        }

        @Override
        public void refused(AnepException why) {
            told.add(why.code().toString());
        }
    }

    private List<String> tell(int count) throws InterruptedException {
        List<String> all = new java.util.ArrayList<>();
        while (all.size() < count) {
            String next = told.poll(5, TimeUnit.SECONDS);
            assertThat(next).as("after %s", all).isNotNull();
            all.add(next);
        }
        return all;
    }

    private static byte[] packet(String payload) {
        ByteBuf built = new PacketBuilder(0x5401).payload(io.netty.buffer.Unpooled.copiedBuffer(payload, StandardCharsets.US_ASCII))
                .build(io.netty.buffer.UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = io.netty.buffer.ByteBufUtil.getBytes(built);
        built.release();
        return octets;
    }

    @Test
    void whatComesWithTheFirstOctetAndItsEndGoOn() throws Exception {
        listen();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            byte[] two = new byte[2 * packet("a").length];
            System.arraycopy(packet("a"), 0, two, 0, two.length / 2);
            System.arraycopy(packet("b"), 0, two, two.length / 2, two.length / 2);
            socket.getOutputStream().write(two);
            socket.shutdownOutput();
            assertThat(tell(4)).containsExactly("accepted", "a", "b", "ended true");
        }
    }

    @Test
    @Tag("long")
    void aConnectionThatSaysNothingIsRefusedAndOneThatLeavesIsForgotten() throws Exception {
        listen();
        try (Socket silent = new Socket(address.getAddress(), address.getPort())) {
            assertThat(tell(2)).containsExactlyInAnyOrder("gone", "EE-207");
            assertThat(silent.getInputStream().read()).as("a word").isEqualTo(1);
        }
        new Socket(address.getAddress(), address.getPort()).close();
        assertThat(tell(1)).containsExactly("gone");
        try (Socket half = new Socket(address.getAddress(), address.getPort())) {
            half.getOutputStream().write(new byte[] {0x16, 3, 1});
            assertThat(tell(2)).as("half a handshake").containsExactlyInAnyOrder("gone", "EE-215");
        }
    }
}
