package org.tamanoir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabProcess;

/** A load whose packets had no session, or another one, would measure a node that does nothing for them. */
class ALoadInASessionTest {
    private static final long CODE = 0xf00d_0123_4567_89abL;
    private static final int OCTETS = 1400;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private final LoadTool tool = LoadTool.make();

    private String[] command(String what, int port, String type, String session) {
        return tool.command("0", what, "127.0.0.1", Integer.toString(port), "127.0.0.1", Integer.toString(OCTETS), "0.1", "0", "-1", "1", "echo", type,
                session).toArray(String[]::new);
    }

    private static void assertInSession(byte[] octets) {
        Packet packet = Packet.of(Unpooled.wrappedBuffer(octets));
        assertThat(packet.typeId()).isEqualTo(0x5404);
        assertThat(packet.length()).isEqualTo(OCTETS);
        assertThat(packet.qosSession()).isEqualTo(CODE);
    }

    @Test
    void everyDatagramIsInItsSession() throws Exception {
        try (DatagramSocket node = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                LabProcess load = LabProcess.start("load", java.util.List.of(command("udp-window", node.getLocalPort(), "0x5404", Long.toHexString(CODE))))) {
            node.setSoTimeout((int) PATIENCE.toMillis());
            DatagramPacket datagram = new DatagramPacket(new byte[OCTETS + 1], OCTETS + 1);
            for (int i = 0; i < 20; i++) {
                node.receive(datagram);
                assertInSession(Arrays.copyOf(datagram.getData(), datagram.getLength()));
                datagram.setLength(datagram.getLength());
                node.send(datagram);
                datagram.setLength(OCTETS + 1);
            }
            assertThat(load.isAlive()).as(load.errors()).isTrue();
        }
    }

    @Test
    void theFirstPacketOfAStreamSpeaksForAll() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LabProcess load = LabProcess.start("load", java.util.List.of(command("tcp-blast", node.getLocalPort(), "0x5404", Long.toHexString(CODE))))) {
            node.setSoTimeout((int) PATIENCE.toMillis());
            try (Socket stream = node.accept()) {
                stream.setSoTimeout((int) PATIENCE.toMillis());
                assertInSession(stream.getInputStream().readNBytes(OCTETS));
                Packet second = Packet.of(Unpooled.wrappedBuffer(stream.getInputStream().readNBytes(OCTETS)));
                assertThat(second.hasOptions()).isFalse();
            }
            assertThat(load.isAlive() || !load.errors().isEmpty()).isTrue();
        }
    }

    @Test
    void aSessionThatIsNoneIsRefused() {
        for (String[] bad : new String[][] {{"0x5404", "xyz"}, {"0x5404", "123456789012345678"}, {"70000", "1"}, {"0x5404", ""}}) {
            Command.Result result = Command.tryRun(Arrays.asList(command("udp-trip", 9, bad[0], bad[1])), null, PATIENCE);
            assertThat(result.exit()).as(String.join(" ", bad)).isEqualTo(2);
        }
    }
}
