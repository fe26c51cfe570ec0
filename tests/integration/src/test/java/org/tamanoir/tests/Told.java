package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.node.Node;
import org.tamanoir.tests.services.Teller;

/** A stream through the service {@code teller} that says which version it is on. */
final class Told implements AutoCloseable {
    static final int TYPE = 0x5510;

    private final AnepPeer peer;

    Told(Node node, TcpServer echo) throws IOException {
        this(node, "127.0.0.1", echo);
    }

    Told(Node node, String destination, TcpServer echo) throws IOException {
        peer = new AnepPeer(node.address());
        peer.send(AnepPeer.opening(TYPE, AnepPeer.to(destination, echo.port(), Delivery.RAW)));
    }

    /** A version of the service. */
    static Path bundle(Grid grid, String version) {
        return new ServiceBundle("teller", TYPE, "middle", Teller.class).version(version).in(grid.directory());
    }

    /** {@code VERSION COUNT}. */
    String ask() throws IOException {
        peer.send(AnepPeer.data(TYPE, new byte[] {1}));
        StringBuilder said = new StringBuilder();
        while (said.indexOf("\n") < 0) {
            Packet packet = peer.receive();
            assertThat(packet).as("the stream has ended after '%s'", said).isNotNull();
            assertThat(packet.typeId()).as("%s", packet.options()).isEqualTo(TYPE);
            said.append(packet.payload().toString(StandardCharsets.UTF_8));
        }
        return said.toString().trim();
    }

    String version() throws IOException {
        return ask().split(" ")[0];
    }

    @Override
    public void close() throws IOException {
        peer.finish();
        assertThat(peer.receive()).as("a clean end").isNull();
        peer.close();
    }
}
