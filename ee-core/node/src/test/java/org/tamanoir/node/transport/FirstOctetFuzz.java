package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.service.rule.Prefix;

/**
 * What comes first on a connection, by a coverage-guided fuzzer (Jazzer), in reads of any size: without TLS all of it goes on as it came; by TLS nobody is let
 * in who has no certificate; and every connection is taken or given up exactly once, with nothing left behind. Without more the seeds themselves are run;
 * the command in {@code docs/security.md} fuzzes.
 */
class FirstOctetFuzz {
    private static final int MOST = 2000;
    private static final Tls TLS = tls();

    private static Tls tls() {
        try {
            Path directory = Files.createTempDirectory("tamanoir-test");
            Identity identity = new Identity(new Authority(directory, "ca").certify("a", "URI:spiffe://example.org/node/a", 20));
            try (Stream<Path> files = Files.list(directory)) {
                files.forEach(file -> file.toFile().deleteOnExit());
            }
            directory.toFile().deleteOnExit();
            return new Tls(new Tls.Settings(identity, true, List.of(Prefix.parse("127.0.0.0/8")), any -> true, Duration.ofSeconds(10)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first octet says how long reads are: 0 for everything at once. */
    static Stream<byte[]> beginnings() throws Exception {
        ByteBuf hello = new EmbeddedChannel(TLS.connecting(new EmbeddedChannel(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))).readOutbound();
        byte[] handshake = ByteBufUtil.getBytes(hello);
        hello.release();
        byte[] cut = Arrays.copyOf(handshake, handshake.length / 2);
        return Stream.of(read(0, handshake), read(7, handshake), read(1, cut), read(0, new byte[] {1, 0, 0x54, 1, 0, 2, 0, 9, 'x'}), read(3, new byte[] {1, 0, 0x54, 1, 0, 2, 0, 9, 'x'}),
                read(0, new byte[] {0x16}), read(0, new byte[] {0x16, 3, 1, 0, 0}), read(2, new byte[] {0x16, 3, 3, (byte) 0xff, (byte) 0xff, 1}),
                read(0, new byte[] {0x15, 3, 3, 0, 2, 2, 40}), read(0, "GET / HTTP/1.1\r\n\r\n".getBytes()), new byte[0]);
    }

    private static byte[] read(int length, byte[] octets) {
        byte[] all = new byte[octets.length + 1];
        all[0] = (byte) length;
        System.arraycopy(octets, 0, all, 1, octets.length);
        return all;
    }

    private static final class Taker implements TcpSockets.Acceptor {
        private int gone;
        private int accepted;
        private final List<String> refused = new ArrayList<>();

        @Override
        public long admit(InetSocketAddress peer) {
            return 1;
        }

        @Override
        public void gone(InetSocketAddress peer) {
            gone++;
        }

        @Override
        public void accepted(TcpSockets.NewLeg connection, long number) {
            accepted++;
        }

        @Override
        public void refused(AnepException why) {
            refused.add(why.code().toString());
        }
    }

    private static final class FromLoopback extends EmbeddedChannel {
        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
        }
    }

    @MethodSource("beginnings")
    @FuzzTest(maxDuration = "")
    void anything(byte[] octets) {
        Taker taker = new Taker();
        EmbeddedChannel channel = new FromLoopback();
        channel.pipeline().addLast(new FirstOctet(TLS, new TcpSockets.NewLeg(channel, null, null, null, null), taker, 1));
        int end = Math.min(octets.length, MOST);
        int length = octets.length == 0 || octets[0] == 0 ? MOST : octets[0] & 0xff;
        List<ByteBuf> reads = new ArrayList<>();
        ByteBuf on = Unpooled.buffer();
        for (int at = 1; at < end && channel.isOpen(); at += length) {
            ByteBuf read = Unpooled.copiedBuffer(octets, at, Math.min(length, end - at));
            reads.add(read);
            channel.writeInbound(read);
            for (ByteBuf passed = channel.readInbound(); passed != null; passed = channel.readInbound()) {
                on.writeBytes(passed);
                passed.release();
            }
        }
        // As when the peer has gone: nobody waits for a last word of TLS.
        channel.unsafe().close(channel.voidPromise());
        channel.runPendingTasks();
        channel.releaseOutbound();
        boolean plain = end > 1 && octets[1] != Tls.HANDSHAKE;
        assertThat(taker.accepted).as("taken").isEqualTo(plain ? 1 : 0);
        assertThat(ByteBufUtil.getBytes(on)).isEqualTo(plain ? Arrays.copyOfRange(octets, 1, end) : new byte[0]);
        assertThat(taker.gone).as("given up").isEqualTo(plain ? 0 : 1);
        // Who leaves before anything is wrong is not refused.
        assertThat(taker.refused).as("why").isIn(List.of(), plain ? List.of() : List.of("EE-215"));
        assertThat(reads).allMatch(read -> read.refCnt() == 0);
        on.release();
    }
}
