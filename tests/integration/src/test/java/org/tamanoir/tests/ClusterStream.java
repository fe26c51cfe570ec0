package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;

/** A stream over TCP through the address of a cluster to a server on the host of the receiver, as its two ends see it. */
final class ClusterStream implements AutoCloseable {
    final AnepPeer source;
    final Socket destination;
    private final int service;

    ClusterStream(ClusterLab lab, ServerSocket server) throws Exception {
        this(lab, server, null, Grid.FORWARD);
    }

    /** @param from an address of the client; null for any */
    ClusterStream(ClusterLab lab, ServerSocket server, InetAddress from, int service) throws Exception {
        this.service = service;
        source = lab.testbed().client().host().inside(() -> new AnepPeer(lab.virtual(), from));
        try {
            source.send(AnepPeer.opening(service, AnepPeer.to(lab.receiver().ipv4().getHostAddress(), server.getLocalPort(), Delivery.RAW)));
            destination = server.accept();
            destination.setSoTimeout(20_000);
        } catch (IOException e) {
            source.close();
            throw e;
        }
    }

    /** A server for streams. */
    static ServerSocket server(ClusterLab lab) throws Exception {
        ServerSocket server = lab.receiver().host().inside(() -> new ServerSocket(0, 100, lab.receiver().ipv4()));
        server.setSoTimeout(20_000);
        return server;
    }

    /** The address of the back end that serves it. */
    InetAddress backEnd() {
        return ((InetSocketAddress) destination.getRemoteSocketAddress()).getAddress();
    }

    /** There and back; every octet is looked at. */
    void carries(int octets) throws IOException {
        byte[] there = random(octets);
        source.send(AnepPeer.data(service, there));
        assertThat(Arrays.equals(destination.getInputStream().readNBytes(octets), there)).as("what was sent has arrived").isTrue();
        byte[] back = random(octets);
        destination.getOutputStream().write(back);
        byte[] got = new byte[octets];
        for (int had = 0; had < octets;) {
            Packet packet = source.receive();
            assertThat(packet).as("the stream goes on").isNotNull();
            assertThat(packet.typeId()).as("%s", packet.options()).isNotEqualTo(Anep.TYPE_ERROR);
            int length = packet.payloadLength();
            packet.payload().getBytes(packet.payload().readerIndex(), got, had, length);
            had += length;
        }
        assertThat(Arrays.equals(got, back)).as("what was sent back has arrived").isTrue();
    }

    private static byte[] random(int octets) {
        byte[] random = new byte[octets];
        ThreadLocalRandom.current().nextBytes(random);
        return random;
    }

    /** In good order at both ends. */
    void finish() throws IOException {
        source.finish();
        assertThat(destination.getInputStream().read()).isEqualTo(-1);
        destination.close();
        assertThat(source.receive()).isNull();
        source.close();
    }

    /** A stream over UDP there and back. @return the address of the back end that serves it */
    static InetAddress overUdp(ClusterLab lab, InetAddress from) throws Exception {
        try (UdpPeer source = new UdpPeer(lab.testbed().client().host(), from, 0);
                UdpPeer receiver = new UdpPeer(lab.receiver().host(), lab.receiver().ipv4(), 0)) {
            // Nodes keep streams over UDP for a while, and a port may come again: another id is another stream.
            PacketOptions options = AnepPeer.to(lab.receiver().ipv4().getHostAddress(), receiver.port(), Delivery.ANEP)
                    .stream(ThreadLocalRandom.current().nextLong(), 0);
            int times = 0;
            InetAddress backEnd;
            do {
                // A datagram may be lost while a director changes its tables, and an answer that is under way then comes as it left its back end; the stream
                // must not be lost.
                do {
                    assertThat(times++).as("datagrams that were lost in a row; the last came from %s", source.lastSender()).isLessThan(4);
                    source.send(AnepPeer.opening(Grid.FORWARD, options), lab.virtual());
                } while (receiver.isSilent(1500));
                backEnd = receiver.lastSender().getAddress();
                receiver.send(AnepPeer.data(Grid.FORWARD, new byte[9]));
                source.receive();
            } while (!source.lastSender().equals(lab.virtual()));
            return backEnd;
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
        destination.close();
    }
}
