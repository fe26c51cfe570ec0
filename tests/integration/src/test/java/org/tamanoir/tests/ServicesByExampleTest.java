package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.RecordedBlocks;
import org.tamanoir.service.testkit.RecordedStore;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.tests.examples.Redact;
import org.tamanoir.tests.examples.Remember;
import org.tamanoir.tests.examples.Tally;

/** The services of {@code docs/services-by-example.md} do what the page says, and the page shows what is tested here. */
class ServicesByExampleTest {
    private static final int TYPE = 0x5500;
    private static final Path PAGE = Path.of("../../docs/services-by-example.md");
    private static final Path SOURCES = Path.of("src/test/java/org/tamanoir/tests/examples");
    private static final Pattern BLOCK = Pattern.compile("^\\[`(\\w+)\\.java`]\\([^)]*\\):\n\n```java\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

    @Test
    void thePageShowsTheCodeThatIsTested() throws Exception {
        List<String> shown = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(Files.readString(PAGE)); block.find(); shown.add(block.group(1))) {
            String source = Files.readString(SOURCES.resolve(block.group(1) + ".java"));
            assertThat(source.substring(source.indexOf("\n/**") + 1)).as(block.group(1)).isEqualTo(block.group(2));
        }
        assertThat(shown).containsExactly("Redact", "Tally", "Remember");
        assertThat(Files.readString(PAGE)).as("other code").satisfies(text -> assertThat(text.split("```java", -1)).hasSize(4));
    }

    private static String text(List<Packet> packets) {
        StringBuilder text = new StringBuilder();
        packets.forEach(packet -> text.append(packet.payload().toString(UTF_8)));
        return text.toString();
    }

    private static Outcome say(StreamHarness stream, String text) throws Exception {
        return stream.toDestination(text.getBytes(UTF_8));
    }

    @Test
    @Tag("seeded")
    void redactFindsAWordWhereverPacketsEnd() throws Exception {
        long seed = System.nanoTime();
        System.out.println("ServicesByExampleTest: seed " + seed);
        Random random = new Random(seed);
        for (String word : List.of("secret", "aab", "abab", "b")) {
            try (ServiceHarness harness = ServiceHarness.start(new Redact(), Map.of("word", word))) {
                for (int round = 0; round < 50; round++) {
                    StringBuilder sent = new StringBuilder();
                    StringBuilder came = new StringBuilder();
                    try (StreamHarness stream = harness.open(Position.INGRESS)) {
                        for (int i = 0; i < 20; i++) {
                            StringBuilder part = new StringBuilder();
                            for (int letters = random.nextInt(9); letters > 0; letters--) {
                                part.append(word.charAt(random.nextInt(word.length())));
                                part.append(random.nextInt(4) == 0 ? word : "");
                            }
                            int cut = random.nextInt(part.length() + 1);
                            for (String piece : List.of(part.substring(0, cut), part.substring(cut))) {
                                came.append(text(say(stream, piece).onward()));
                            }
                            sent.append(part);
                        }
                        came.append(text(stream.end().onward()));
                    }
                    assertThat(came.toString()).isEqualTo(sent.toString().replace(word, "*".repeat(word.length())));
                }
                assertThatThrownBy(() -> harness.open(Position.INGRESS, Transport.UDP)).hasMessageStartingWith("EE-318");
            }
        }
    }

    @Test
    void tallyTellsACountWhenItIsSafe() throws Exception {
        RecordedStore disk = new RecordedStore();
        try (ServiceHarness harness = ServiceHarness.of(new Tally(), Map.of()).store(disk).start(); StreamHarness stream = harness.open(Position.ONLY)) {
            say(stream, "ada");
            say(stream, "ada");
            assertThat(text(stream.advance(Duration.ZERO).toSource())).isEqualTo("ada 1ada 2");
            harness.failStore(true);
            say(stream, "bob");
            assertThat(text(stream.advance(Duration.ZERO).toSource())).startsWith("bob may be lost: EE-813");
            assertThatThrownBy(() -> say(stream, "x".repeat(31))).hasMessageStartingWith("EE-109");
            harness.failStore(false);
            say(stream, "ada");
            disk.crash();
        }
        try (ServiceHarness harness = ServiceHarness.of(new Tally(), Map.of()).store(disk).start()) {
            assertThat(harness.inspect("votes", Map.of())).isEqualTo(Map.of("ada", 2L));
        }
    }

    @Test
    void rememberAsksOnceAndAgainWhenTheBlockIsDamaged() throws Exception {
        RecordedStore store = new RecordedStore();
        RecordedBlocks blocks = new RecordedBlocks();
        for (int start = 0; start < 2; start++) {
            try (ServiceHarness harness = ServiceHarness.of(new Remember(), Map.of()).store(store).blocks(blocks).start()) {
                if (start == 0) {
                    assertThat(asked(harness, "42")).as("by the destination").isTrue();
                }
                assertThat(asked(harness, "never")).isFalse();
                assertThat(harness.metrics().value("answered")).isEqualTo(1);
            }
        }
        blocks.damage(RecordedBlocks.name("42".getBytes(UTF_8)));
        try (ServiceHarness harness = ServiceHarness.of(new Remember(), Map.of()).store(store).blocks(blocks).start()) {
            assertThat(asked(harness, "43")).isTrue();
            assertThat(asked(harness, "never")).isFalse();
            try (StreamHarness stream = harness.open(Position.ONLY)) {
                assertThat(text(say(stream, "x".repeat(81)).onward())).as("too long to be kept").hasSize(81);
                assertThat(text(say(stream, "\n").onward())).isEqualTo("\n");
            }
        }
    }

    /** Asks in two pieces, and ends; the destination says what it says, if it is asked. */
    private static boolean asked(ServiceHarness harness, String answer) throws Exception {
        try (StreamHarness stream = harness.open(Position.ONLY)) {
            assertThat(say(stream, "what is ").onward()).isEmpty();
            String onward = text(say(stream, "six times seven?\n").onward()) + text(stream.end().onward());
            var told = stream.advance(Duration.ZERO);
            onward += text(told.toDestination());
            assertThat(stream.connects()).isEqualTo(!onward.isEmpty());
            if (onward.isEmpty()) {
                assertThat(text(told.toSource())).isIn("42", "43");
                assertThat(stream.hasReturnEnded()).isTrue();
            } else {
                assertThat(onward).isEqualTo("what is six times seven?\n");
                stream.toSource(answer.getBytes(UTF_8));
                stream.returnEnd();
            }
            assertThat(stream.hasEnded()).isTrue();
            stream.advance(Duration.ZERO);
            return !onward.isEmpty();
        }
    }

    private static void push(Grid grid, String name, int typeId, Class<? extends ActiveService> service) {
        grid.push(new ServiceBundle(name, typeId, "middle", service).in(grid.directory()));
    }

    @Test
    void redactInTwoNodes() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            push(grid, "redact", TYPE, Redact.class);
            Node first = grid.nodeTo(grid.node());
            String text = "It is no secret that a secre" + "t is no secret. ".repeat(50) + "secre";
            try (AnepPeer peer = open(first, TYPE, server.port())) {
                for (int at = 0; at < text.length(); at += 37) {
                    peer.send(AnepPeer.data(TYPE, text.substring(at, Math.min(at + 37, text.length())).getBytes(UTF_8)));
                }
                peer.finish();
                assertThat(server.next().getInputStream().readAllBytes()).asString(UTF_8).isEqualTo(text.replace("secret", "******"));
            }
        }
    }

    @Test
    void rememberAnswersWhenTheDestinationIsGone() throws Exception {
        try (Grid grid = Grid.withRepository()) {
            push(grid, "remember", TYPE, Remember.class);
            Node first = grid.nodeTo(grid.node());
            int port;
            try (TcpServer origin = TcpServer.idle(); AnepPeer peer = open(first, TYPE, origin.port())) {
                port = origin.port();
                peer.send(AnepPeer.data(TYPE, "who?\n".getBytes(UTF_8))).finish();
                try (Socket socket = origin.next()) {
                    assertThat(socket.getInputStream().readNBytes(5)).asString(UTF_8).isEqualTo("who?\n");
                    socket.getOutputStream().write("me".getBytes(UTF_8));
                }
                assertThat(answer(peer)).isEqualTo("me");
            }
            await("the block is kept").ignoreExceptions().until(() -> {
                try (AnepPeer peer = open(first, TYPE, port)) {
                    return answer(peer.send(AnepPeer.data(TYPE, "who?\n".getBytes(UTF_8))).finish()).equals("me");
                }
            });
        }
    }

    private static AnepPeer open(Node node, int typeId, int port) throws Exception {
        return new AnepPeer(node.address()).send(AnepPeer.opening(typeId, AnepPeer.to(port, Delivery.RAW)));
    }

    /** All that comes back. */
    private static String answer(AnepPeer peer) throws Exception {
        StringBuilder came = new StringBuilder();
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            came.append(packet.payload().toString(UTF_8));
        }
        return came.toString();
    }

    @Test
    void tallyKeepsWhatItHasToldOverAKill() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer server = TcpServer.idle()) {
            push(grid, "tally", TYPE, Tally.class);
            Path data = grid.directory().resolve("killed");
            String told = null;
            try (NodeProgram node = new NodeProgram(data, "--listen", "127.0.0.1:0", "--repository", grid.repository().url());
                    AnepPeer peer = new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(server.port(), Delivery.RAW)))) {
                for (int i = 0; i < 200; i++) {
                    peer.send(AnepPeer.data(TYPE, "ada".getBytes(UTF_8)));
                }
                for (int i = 0; i < 100; i++) {
                    told = peer.receive().payload().toString(UTF_8);
                }
                node.kill();
            }
            assertThat(told).isEqualTo("ada 100");
            Node again = grid.node(configuration -> configuration.set("data", data));
            JsonNode votes = await().ignoreExceptions().until(() -> Grid.admin(again).json("/services/tally/inspect/votes"), answer -> answer.has("ada"));
            assertThat(votes.path("ada").asLong()).isBetween(100L, 200L);
        }
    }
}
