package org.tamanoir.client.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.client.Leaks;
import org.tamanoir.client.PlainNode;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.identity.destination.DestinationRules;

/** Programs that say where they want to go, at a real socket. */
@ExtendWith(Leaks.class)
@Timeout(60)
class ProxyTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String DONE = "05000001000000000000";

    private static GatewayOptions options(PlainNode node, String... allow) {
        return options(node, new ProxySettings(DestinationRules.of(List.of(allow), List.of()), Map.of()));
    }

    private static GatewayOptions options(PlainNode node, ProxySettings settings) {
        return new GatewayOptions(ANY).via(node.address()).services("forward").proxy(settings);
    }

    private static Socket connect(Gateway gateway) throws IOException {
        return new Socket(gateway.address().getAddress(), gateway.address().getPort());
    }

    private static byte[] socks(PlainNode server) {
        return hex("05010001" + "7f000001" + "%04x".formatted(server.address().getPort()));
    }

    private static byte[] hex(String octets) {
        return HexFormat.of().parseHex(octets);
    }

    private static void says(Socket program, byte[] octets) throws IOException {
        program.getOutputStream().write(octets);
    }

    private static void hears(Socket program, String octets) throws IOException {
        assertThat(HexFormat.of().formatHex(program.getInputStream().readNBytes(octets.length() / 2))).isEqualTo(octets);
    }

    private static PlainNode echo() throws IOException {
        return new PlainNode(connection -> connection.getInputStream().transferTo(connection.getOutputStream()));
    }

    @Test
    void oneListenerLeadsEachProgramWhereItAsksBySocksAndByHttpAndWhatFollowsIsTheSame() throws Exception {
        byte[] much = new byte[3_000_001];
        new Random(1928).nextBytes(much);
        try (PlainNode first = echo(); PlainNode second = echo(); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, "127.0.0.0/8", "localhost"))) {
            try (Socket program = connect(gateway)) {
                says(program, hex("050100"));
                hears(program, "0500");
                says(program, socks(first));
                hears(program, DONE);
                carries(program, much);
            }
            // Everything in one write, what is meant for the server too; by a name.
            try (Socket program = connect(gateway)) {
                byte[] name = ("CONNECT localhost:" + second.address().getPort() + " HTTP/1.1\r\nHost: localhost\r\n\r\nearly").getBytes(US_ASCII);
                says(program, name);
                assertThat(program.getInputStream().readNBytes(26 + 5)).asString(US_ASCII).isEqualTo("HTTP/1.1 200 Connected\r\n\r\nearly");
                carries(program, much);
            }
            await().until(() -> gateway.openConnections() == 0);
            assertThat(gateway.counters().broken() + gateway.counters().refused() + gateway.counters().aborted()).isZero();
        }
    }

    private static void carries(Socket program, byte[] much) throws Exception {
        Thread writer = PlainNode.start("request", () -> {
            says(program, much);
            program.shutdownOutput();
        });
        assertThat(Arrays.equals(program.getInputStream().readAllBytes(), much)).isTrue();
        writer.join();
    }

    @Test
    void successIsSaidWhenTheLastNodeSaysThatTheDestinationHasAcceptedAndNotBefore() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (PlainNode node = new PlainNode(connection -> {
            PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
            go.await();
            connection.getOutputStream().write(hex("018054010003000cc0110001"));
            connection.getInputStream().readAllBytes();
        }); Gateway gateway = Gateway.open(options(node, "*")); Socket program = connect(gateway)) {
            says(program, hex("050100" + "050100017f0000010050"));
            hears(program, "0500");
            program.setSoTimeout(300);
            assertThatThrownBy(() -> program.getInputStream().read()).isInstanceOf(java.net.SocketTimeoutException.class);
            program.setSoTimeout(0);
            go.countDown();
            hears(program, DONE);
        }
    }

    @Test
    void aRefusalOfTheNodesIsToldInTheProgramsProtocolAndTheConnectionEndsCleanly() throws Exception {
        ByteBuf error = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.NO_ROUTE, "no route of this node leads to 10.9.9.9", 0);
        byte[] octets = new byte[error.readableBytes()];
        error.readBytes(octets).release();
        try (PlainNode node = new PlainNode(connection -> {
            PlainNode.readPacket(new DataInputStream(connection.getInputStream()));
            connection.getOutputStream().write(octets);
        }); Gateway gateway = Gateway.open(options(node, "*"))) {
            try (Socket program = connect(gateway)) {
                says(program, hex("050100" + "050100010a0909090050"));
                hears(program, "0500" + "05030001000000000000");
                assertThat(program.getInputStream().read()).as("a clean end").isEqualTo(-1);
            }
            try (Socket program = connect(gateway)) {
                says(program, "CONNECT 10.9.9.9:80 HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
                assertThat(program.getInputStream().readAllBytes()).asString(US_ASCII).startsWith("HTTP/1.1 502 Bad Gateway\r\nProxy-Status: tamanoir; error=destination_ip_unroutable; ")
                        .endsWith("\r\n\r\nEE-202 no route of this node leads to 10.9.9.9\n");
            }
            assertThat(gateway.counters().broken()).isEqualTo(2);
            assertThat(gateway.counters().last().reason().code()).isEqualTo(ErrorCode.NO_ROUTE);
        }
    }

    @Test
    void whatTheRulesForbidReachesNoNodeAndBindAndHostileOctetsDoNotEither() throws Exception {
        try (PlainNode node = new PlainNode(connection -> {
            throw new AssertionError("a node was reached");
        }); Gateway gateway = Gateway.open(options(node, "10.0.0.0/8:80", "*.example.org:443"))) {
            for (String[] said : new String[][] {{"050100" + "050100010a0000010051", "0500" + "05020001000000000000"}, {"050100" + "05010003096c6f63616c686f73740050", "0500" + "05020001000000000000"},
                {"050100" + "050200010a0000010050", "0500" + "05070001000000000000"}, {"050100" + "050300010a0000010050", "0500" + "05070001000000000000"}, {"050102", "05ff"}}) {
                try (Socket program = connect(gateway)) {
                    says(program, hex(said[0]));
                    hears(program, said[1]);
                    assertThat(program.getInputStream().read()).isEqualTo(-1);
                }
            }
            assertThat(gateway.counters().last().reason()).extracting(AnepException::code).isEqualTo(ErrorCode.PROXY_REQUEST);
            Random random = new Random(1929);
            for (int i = 0; i < 100; i++) {
                byte[] noise = new byte[random.nextInt(300)];
                random.nextBytes(noise);
                try (Socket program = connect(gateway)) {
                    says(program, noise);
                    program.shutdownOutput();
                    program.getInputStream().readAllBytes();
                } catch (SocketException e) {
                    // Reset: what it says is no protocol at all.
                }
            }
            await().until(() -> gateway.openConnections() == 0);
            assertThat(gateway.counters().connections()).isEqualTo(105);
        }
    }

    @Test
    @Tag("long")
    void aThousandSilentProgramsAndHalfAGreetingKeepNobodyOutAndAreLetGoInTime() throws Exception {
        List<Socket> silent = new ArrayList<>();
        ProxySettings settings = new ProxySettings(DestinationRules.of(List.of("*"), List.of()), Map.of(), Duration.ofSeconds(2), Duration.ofSeconds(60));
        try (PlainNode server = echo(); PlainNode node = PlainNode.relay(); Gateway gateway = Gateway.open(options(node, settings).maxConnections(200))) {
            for (int i = 0; i < 1000; i++) {
                silent.add(connect(gateway));
                if (i % 2 == 0) {
                    says(silent.get(i), hex("05"));
                }
            }
            try (Socket program = connect(gateway)) {
                says(program, hex("050100"));
                hears(program, "0500");
                says(program, socks(server));
                hears(program, DONE);
                says(program, "through".getBytes(US_ASCII));
                assertThat(program.getInputStream().readNBytes(7)).asString(US_ASCII).isEqualTo("through");
                await().atMost(Duration.ofSeconds(30)).until(() -> gateway.openConnections() == 1);
            }
            assertThat(gateway.counters().last().reason().code()).as("of those that were left").isEqualTo(ErrorCode.PROXY_TIMEOUT);
            assertThat(gateway.counters().refused()).isEqualTo(1000);
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    @Test
    void eachPortOfARangeLeadsToItsOwn() throws Exception {
        try (PlainNode server = echo(); PlainNode node = PlainNode.relay()) {
            int to = server.address().getPort();
            // The last of three ports leads to the server.
            try (Gateway open = GatewayTest.onFreePorts(
                    first -> new GatewayOptions(first).ports(3).via(node.address()).to(new InetSocketAddress(ANY.getAddress(), to - 2)).services("forward"));
                    Socket program = new Socket(ANY.getAddress(), open.address().getPort() + 2)) {
                says(program, "range".getBytes(US_ASCII));
                assertThat(program.getInputStream().readNBytes(5)).asString(US_ASCII).isEqualTo("range");
                assertThatThrownBy(() -> new Socket(ANY.getAddress(), open.address().getPort()).getInputStream().read()).as("nobody listens behind the first").isInstanceOf(SocketException.class);
            }
        }
        assertThatThrownBy(() -> Gateway.open(new GatewayOptions(new InetSocketAddress(ANY.getAddress(), 65_000)).ports(1000).via(ANY).to(ANY).services("forward"))).hasMessageStartingWith("EE-408 ");
        GatewayOptions resumed = new GatewayOptions(new InetSocketAddress(ANY.getAddress(), 5000)).ports(2).via(ANY).to(new InetSocketAddress(ANY.getAddress(), 6000)).services("forward")
                .sessions(SessionSettings.PRESET);
        assertThatThrownBy(() -> Gateway.open(resumed)).as("all of them would lead to one endpoint").hasMessageStartingWith("EE-408 ");
    }
}
