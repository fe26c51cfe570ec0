package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.settings.Settings;

/**
 * A service in WebAssembly: fetched, compiled and applied like any other, kept compiled for the next start; and whatever a module does wrong
 * costs the stream that it was for, by the policy of the service, and no other.
 */
class AModuleServesStreamsTest {
    private static final int TYPE = 0x5500;
    private static final int GUESTS_TYPE = 0x5800;

    private static byte[] module() throws IOException {
        try (InputStream in = AModuleServesStreamsTest.class.getResourceAsStream("modules/unruly.wasm")) {
            return in.readAllBytes();
        }
    }

    private static Grid grid(String attribute) throws IOException {
        Grid grid = Grid.withRepository();
        ServiceBundle bundle = ServiceBundle.wasm("unruly", TYPE, module());
        grid.push((attribute == null ? bundle : bundle.attribute(attribute)).in(grid.directory()));
        return grid;
    }

    private static Node node(Grid grid, Consumer<Settings> more) {
        return grid.node(more.andThen(configuration -> configuration.set("policies.unruly.failures", 1000)));
    }

    private static AnepPeer open(Node node, TcpServer echo) throws IOException {
        return new AnepPeer(node.address()).send(AnepPeer.opening(TYPE, AnepPeer.to(echo.port(), Delivery.RAW)));
    }

    private static AnepPeer send(AnepPeer peer, String... payloads) throws IOException {
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        for (String payload : payloads) {
            together.writeBytes(AnepPeer.data(TYPE, payload.getBytes(US_ASCII)));
        }
        return peer.send(together.toByteArray());
    }

    /** Everything up to the end of the stream, which must be cleanly. */
    private static String rest(AnepPeer peer) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Packet packet = peer.receive(); packet != null; packet = peer.receive()) {
            assertThat(packet.typeId()).as("%s", packet.options().error()).isNotEqualTo(Anep.TYPE_ERROR);
            text.append(packet.payload().toString(US_ASCII));
        }
        return text.toString();
    }

    private static String echoed(Node node, TcpServer echo, String... payloads) throws IOException {
        try (AnepPeer peer = open(node, echo)) {
            return rest(send(peer, payloads).finish());
        }
    }

    private static List<Path> images(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("modules"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /** Another file of the same name is another. */
    private static Object file(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Test
    void itIsAppliedInTheOrderOfThePacketsAndStaysCompiled() throws Exception {
        try (Grid grid = grid(null); TcpServer echo = TcpServer.echo()) {
            Node first = node(grid, configuration -> { });
            // What the server answers passes the module too.
            assertThat(echoed(first, echo, "one ", "upper ", "dropped", "also ", "up")).isEqualTo("one UPPER also UP");
            NodeView view = new NodeView(first);
            assertThat(view.total("tamanoir_unruly_seen_total")).as("packets that the module has counted").isGreaterThanOrEqualTo(5);
            first.close();
            List<Path> images = images(grid.directory().resolve("node0"));
            assertThat(images).isNotEmpty();
            Object made = file(images.get(0));
            try (Node again = grid.again(configuration -> { })) {
                assertThat(echoed(again, echo, "once more")).isEqualTo("once more");
            }
            assertThat(file(images.get(0))).as("it was compiled once").isEqualTo(made);
        }
    }

    @Test
    void whatItDoesWrongEndsItsStreamAndNoOther() throws Exception {
        try (Grid grid = grid(null); TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, configuration -> configuration.set("threads", 1));
            try (SteadyStream steady = new SteadyStream(node); AnepPeer beside = open(node, echo)) {
                assertThat(rest(send(beside, "pass ").finish())).isEqualTo("pass ");
                fails(node, echo, "loops", ErrorCode.MODULE_TOO_SLOW);
                fails(node, echo, "recursion", ErrorCode.MODULE_TRAPPED);
                fails(node, echo, "traps", ErrorCode.MODULE_TRAPPED);
                fails(node, echo, "writes where it may not", ErrorCode.MODULE_TRAPPED);
                fails(node, echo, "emits without end", ErrorCode.MODULE_FORBIDDEN);
                fails(node, echo, "fails", ErrorCode.SERVICE_ERROR);
                assertThat(echoed(node, echo, "pass ", "grows as it may")).isEqualTo("pass grows as it may");
                steady.undisturbed();
                JsonNode service = new NodeView(node).service(TYPE);
                assertThat(service.path("state").asText()).as("%s", service).isEqualTo("active");
                assertThat(service.path("errors").asInt()).isEqualTo(6);
            }
        }
    }

    private static void fails(Node node, TcpServer echo, String what, ErrorCode code) throws IOException {
        try (AnepPeer peer = open(node, echo)) {
            assertThat(send(peer, "pass ", what).refusalAfterData()).as(what).isEqualTo(code);
        }
    }

    @Test
    void whereItsPolicySaysSoAStreamGoesOnWithoutIt() throws Exception {
        try (Grid grid = grid("on-failure=\"bypass\""); TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, configuration -> { });
            assertThat(echoed(node, echo, "upper ", "traps ", "up ")).isIn("UPPER traps up ", "upper traps up ");
            assertThat(echoed(node, echo, "up ")).as("another instance").isEqualTo("UP ");
        }
    }

    @Test
    void thatOfAGuestServesStreamsUnderItsName() throws Exception {
        try (Grid grid = Grid.withRepository(); TcpServer echo = TcpServer.echo()) {
            grid.push(ServiceBundle.wasm("~cms/unruly", GUESTS_TYPE, module()).in(grid.directory()));
            Node node = grid.node();
            byte[] opening = AnepPeer.opening(GUESTS_TYPE, AnepPeer.to(echo.port(), Delivery.RAW));
            try (AnepPeer peer = new AnepPeer(node.address()).send(opening).send(AnepPeer.data(GUESTS_TYPE, "upper".getBytes(US_ASCII))).finish()) {
                assertThat(rest(peer)).isEqualTo("UPPER");
            }
            assertThat(new NodeView(node).service(GUESTS_TYPE).path("name").asText()).isEqualTo("~cms/unruly");
        }
    }

    @Test
    void itMayRefuseAStream() throws Exception {
        try (Grid grid = grid(null); TcpServer echo = TcpServer.echo()) {
            Node node = node(grid, configuration -> configuration.set("services.unruly.refuse", "yes"));
            try (AnepPeer peer = open(node, echo)) {
                assertThat(send(peer, "pass").refusalAfterData()).isEqualTo(ErrorCode.SERVICE_REFUSED);
            }
        }
    }
}
