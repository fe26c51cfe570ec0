package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.FreePort;
import org.tamanoir.node.Node;

/** Two nodes with a cache: what one has the other does not fetch from the origin; what is somebody's own is never given away, and strangers get nothing. */
class CachesAskEachOtherTest {
    private static final int TYPE = 0x540C;
    private static final byte[] CONTENT = new byte[3 << 20];

    static {
        new Random(5).nextBytes(CONTENT);
    }

    private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
    private Grid grid;
    private TcpServer origin;
    private Node first;
    private Node second;

    @BeforeEach
    void start() throws Exception {
        grid = Grid.withRepository();
        origin = new TcpServer(this::answer);
        List<Integer> ports = List.of(FreePort.onLoopback(), FreePort.onLoopback());
        first = node(ports.get(0), ports.get(1));
        second = node(ports.get(1), ports.get(0));
    }

    private Node node(int port, int neighbour) throws IOException {
        Node node = grid.node(configuration -> {
            configuration.set("listen", "127.0.0.1:" + port);
            configuration.set("peers", List.of("127.0.0.1"));
            configuration.set("services", Map.of("cache", Map.of("neighbours", "127.0.0.1:" + neighbour)));
            configuration.set("policies", Map.of("cache", Map.of("reaches", List.of("127.0.0.1"))));
        });
        Grid.admin(node).put("/bundles", Grid.bundle("cache"));
        return node;
    }

    @AfterEach
    void stop() throws Exception {
        origin.close();
        grid.close();
    }

    private void answer(Socket socket) throws IOException {
        try (socket; BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1)); OutputStream out = socket.getOutputStream()) {
            List<String> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                lines.add(line);
            }
            if (!lines.isEmpty()) {
                asked.add(lines.get(0));
                out.write(("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"5\"\r\nContent-Length: " + CONTENT.length + "\r\nConnection: close\r\n\r\n").getBytes(ISO_8859_1));
                out.write(CONTENT);
            }
        }
    }

    /** What a program gets: head and content. */
    private byte[] gets(Node node, String path, String more) throws IOException {
        try (AnepPeer peer = new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(origin.port(), Delivery.RAW)))) {
            peer.send(AnepPeer.data(TYPE, ("GET " + path + " HTTP/1.1\r\nHost: data.example.org\r\n" + more + "Connection: close\r\n\r\n").getBytes(ISO_8859_1)));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
                assertThat(packet.typeId()).as("%s", packet.options().error()).isEqualTo(TYPE);
                byte[] octets = new byte[packet.payloadLength()];
                packet.payload().getBytes(packet.payload().readerIndex(), octets);
                all.writeBytes(octets);
            }
            return all.toByteArray();
        }
    }

    private void isRight(byte[] answer) {
        String head = new String(answer, 0, Math.min(answer.length, 1000), ISO_8859_1);
        int content = head.indexOf("\r\n\r\n") + 4;
        assertThat(head).startsWith("HTTP/1.1 200 ");
        assertThat(java.util.Arrays.copyOfRange(answer, content, answer.length)).isEqualTo(CONTENT);
    }

    private double octets(Node node, String from) {
        return new NodeView(node).metric("tamanoir_cache_content_bytes_total{from=\"" + from + "\",instance=\"1\",version=\"0.1.0\"}");
    }

    @Test
    void whatANeighbourHasIsNotFetchedFromTheOrigin() throws Exception {
        isRight(gets(first, "/shared", ""));
        isRight(gets(second, "/shared", ""));
        assertThat(asked).as("questions of the origin").containsExactly("GET /shared HTTP/1.1");
        assertThat(octets(second, "neighbour")).isEqualTo(CONTENT.length);
        assertThat(octets(second, "origin")).isZero();
        // It is the second's own now, and what neither has comes from the origin.
        isRight(gets(second, "/shared", ""));
        assertThat(octets(second, "neighbour")).isEqualTo(CONTENT.length);
        isRight(gets(second, "/other", ""));
        assertThat(asked).hasSize(2);
        // Somebody's own: kept, and given to nobody without a word of the origin.
        isRight(gets(first, "/own", "Authorization: Bearer ada\r\n"));
        isRight(gets(second, "/own", ""));
        isRight(gets(second, "/shared", "Authorization: Bearer ada\r\nCache-Control: no-cache\r\n"));
        assertThat(asked).as("%s", asked).hasSize(5);
    }

    @Test
    void aStrangerIsNotAnswered() throws Exception {
        Node alone = grid.node(configuration -> configuration.set("peers", List.of("192.0.2.1")));
        Grid.admin(alone).put("/bundles", Grid.bundle("cache"));
        try (AnepPeer peer = new AnepPeer(alone.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(alone.address().getPort(), Delivery.ANEP)))) {
            assertThat(peer.refusal()).isEqualTo(ErrorCode.NOT_PERMITTED);
        }
        for (String question : List.of("GET /x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\nTamanoir-Origin: 127.0.0.1:80\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: h\r\nCache-Control: only-if-cached\r\nTamanoir-Origin: nonsense\r\n\r\n")) {
            try (AnepPeer peer = new AnepPeer(first.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(first.address().getPort(), Delivery.ANEP)))) {
                assertThat(peer.send(AnepPeer.data(TYPE, question.getBytes(ISO_8859_1))).refusal()).as(question).isEqualTo(ErrorCode.BAD_CONTENT);
            }
        }
    }
}
