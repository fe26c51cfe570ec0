package org.tamanoir.node.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.link.LinkCounters.Drop;
import org.tamanoir.node.link.LinkRig.Host;
import org.tamanoir.service.link.LinkHandler;

/** Groups on the loopback interface: who gets what is sent there, and who does not. */
@Timeout(60)
class LinkGroupsTest {
    private static NetworkInterface loopback;

    @BeforeAll
    static void find() throws IOException {
        loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    }

    private static LinkSettings onLoopback() {
        return new LinkSettings(List.of(), LinkSettings.LOOPBACK, loopback, 1);
    }

    private static InetSocketAddress group(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByName("239.255.13.7"), port);
    }

    /** A host that hears a group on loopback. */
    private static final class Listener implements AutoCloseable {
        private final MulticastSocket socket = new MulticastSocket(null);
        /** One that is bound to a group cannot send: its address is none of a host. */
        private final DatagramSocket sender = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        private final InetSocketAddress group;

        Listener(InetSocketAddress group) throws IOException {
            this.group = group;
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            socket.bind(group);
            socket.setSoTimeout(5000);
            socket.joinGroup(group, loopback);
            sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
        }

        void send(String word, long id, long sequence) throws IOException {
            io.netty.buffer.ByteBuf packet = LinkRig.packet(id, sequence, word);
            byte[] octets = new byte[packet.readableBytes()];
            packet.readBytes(octets).release();
            sender.send(new DatagramPacket(octets, octets.length, group));
        }

        /** The next datagram. */
        DatagramPacket receive() throws IOException {
            DatagramPacket datagram = new DatagramPacket(new byte[2048], 2048);
            socket.receive(datagram);
            return datagram;
        }

        @Override
        public void close() {
            socket.close();
            sender.close();
        }
    }

    /** What handlers have seen of a group, and joins and leaves on demand. */
    private static final class Member implements LinkHandler {
        private final org.tamanoir.service.link.Links links;
        private final InetSocketAddress group;
        private final List<String> seen;
        private final AtomicInteger done;

        Member(org.tamanoir.service.link.Links links, InetSocketAddress group, List<String> seen, AtomicInteger done) {
            this.links = links;
            this.group = group;
            this.seen = seen;
            this.done = done;
        }

        @Override
        public void onPacket(Packet packet, InetSocketAddress from) {
            switch (LinkRig.word(packet)) {
                case "join" -> done.addAndGet(links.join(group) && links.join(group) ? 1 : 1000);
                case "leave" -> {
                    links.leave(group);
                    done.incrementAndGet();
                }
                case "tell" -> done.addAndGet(links.send(LinkRig.packet(1, 0, "told"), group) ? 1 : 1000);
                default -> seen.add(LinkRig.word(packet));
            }
        }
    }

    /** Also where the node listens on every address, on the group's own port. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"false, false, 127.0.0.1", "false, true, 0.0.0.0", "true, false, 127.0.0.1"})
    void aGroupIsSharedByTheHandlersThatHaveJoinedIt(boolean nio, boolean samePort, String listen) throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger done = new AtomicInteger();
        try (LinkRig rig = new LinkRig(3, nio, onLoopback(), InetAddress.getByName(listen)); Host host = new Host();
                Listener listener = new Listener(group(samePort ? rig.address.getPort() : 0x5405))) {
            rig.run("1.0.0", links -> new Member(links, listener.group, seen, done));
            int handlers = rig.loops.size();
            host.send(rig.address, LinkRig.packet(0, 0, "join"));
            await().until(() -> done.get() == handlers);
            assertThat(rig.links.joined()).containsExactly(listener.group.getAddress().getHostAddress() + ":" + listener.group.getPort());

            listener.send("for one", 5, 0);
            await().until(() -> seen.size() == 1);
            listener.send("for all", 0, 0);
            await().until(() -> seen.size() == 1 + handlers);
            assertThat(rig.links.counters().in().sum()).as("one for the join, and each once").isEqualTo(3);

            // The node's own do not come back to it, and leave from the address that it listens on.
            host.send(rig.address, LinkRig.packet(1, 0, "tell"));
            DatagramPacket told = listener.receive();
            while (told.getPort() != rig.address.getPort()) {
                told = listener.receive();
            }
            assertThat(LinkRig.word(Packet.of(Unpooled.wrappedBuffer(told.getData(), 0, told.getLength())))).isEqualTo("told");
            if (!samePort) {
                assertThat(told.getAddress()).isEqualTo(rig.address.getAddress());
            }
            listener.send("after", 5, 1);
            await().until(() -> seen.contains("after"));
            assertThat(seen).doesNotContain("told");

            // One handler leaves, the others still hear it; then all have left.
            done.set(0);
            host.send(rig.address, LinkRig.packet(5, 0, "leave"));
            await().until(() -> done.get() == 1);
            listener.send("still", 6, 0);
            if (handlers > 1) {
                await().until(() -> seen.contains("still"));
            }
            host.send(rig.address, LinkRig.packet(0, 0, "leave"));
            await().until(() -> done.get() == 1 + handlers);
            await().until(() -> rig.links.joined().isEmpty());
            long before = rig.links.counters().in().sum();
            listener.send("nobody", 6, 0);
            host.send(rig.address, LinkRig.packet(6, 1, "somebody"));
            await().until(() -> seen.contains("somebody"));
            assertThat(rig.links.counters().in().sum()).isEqualTo(before + 1);
        }
    }

    @Test
    void withoutAnInterfaceThereAreNoGroups() throws Exception {
        AtomicInteger done = new AtomicInteger();
        try (LinkRig rig = new LinkRig(1, false, LinkSettings.NONE); Host host = new Host()) {
            rig.run("1.0.0", links -> new Member(links, group(0x5406), new ArrayList<>(), done));
            host.send(rig.address, LinkRig.packet(1, 0, "join"));
            host.send(rig.address, LinkRig.packet(1, 0, "tell"));
            await().until(() -> done.get() == 2000);
            assertThat(rig.dropped(Drop.NO_INTERFACE)).isEqualTo(1);
            // Another configuration, and there are.
            rig.links.configure(onLoopback());
            host.send(rig.address, LinkRig.packet(1, 0, "join"));
            await().until(() -> done.get() == 2001);
            // And back: what was joined hears nothing, and is joined again when there is an interface.
            rig.links.configure(LinkSettings.NONE);
            rig.links.configure(onLoopback());
            try (Listener listener = new Listener(group(0x5406))) {
                long before = rig.links.counters().in().sum();
                await().until(() -> {
                    listener.send("again", 1, 0);
                    return rig.links.counters().in().sum() > before;
                });
            }
        }
    }

    /** What a service does with an upgrade: its groups are left. */
    @Test
    void theGroupsOfAHandlerAreLeftWithIt() throws Exception {
        AtomicInteger done = new AtomicInteger();
        try (LinkRig rig = new LinkRig(1, false, onLoopback()); Host host = new Host()) {
            rig.run("1.0.0", links -> new Member(links, group(0x5407), new ArrayList<>(), done));
            host.send(rig.address, LinkRig.packet(1, 0, "join"));
            await().until(() -> done.get() == 1);
            rig.run("2.0.0", links -> (packet, from) -> { });
            await().until(() -> rig.links.joined().isEmpty());
        }
    }
}
