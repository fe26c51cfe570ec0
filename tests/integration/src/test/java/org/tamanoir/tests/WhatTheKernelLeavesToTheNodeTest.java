package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.lab.Capture;
import org.tamanoir.lab.IpPacket;

/** Datagrams that the kernel hands up, each kind counted by its reason, come out of the node as they do where there is no kernel path. */
@Tag("lab")
@Timeout(120)
class WhatTheKernelLeavesToTheNodeTest {
    private static final int EACH = 5;
    private static final String RULE = "rules: [{name: all, actions: [count, {dscp: 12}, forward]}]\n";

    /** A kind of datagram, and the reason by which it is counted; null for those that the kernel finishes or never sees. */
    private record Kind(String name, String reason, byte[] datagram, String to) {
    }

    private record Outcome(Map<String, List<String>> arrived, long packets, long octets, long forwarded) {
    }

    @Test
    void comesOutTheSame() throws Exception {
        try (LightLab lab = new LightLab(); LabRepository repository = new LabRepository(lab.host(), lab.directory().resolve("repository"),
                Grid.bundle("forward"), Grid.bundle("monitoring"))) {
            String more = RULE + "repositories: ['" + repository.url() + "']\n";
            Outcome inKernel = run(lab, "auto", more);
            Outcome inNode = run(lab, "off", more);
            assertThat(inKernel).isEqualTo(inNode);
        }
    }

    private static Outcome run(LightLab lab, String use, String more) throws Exception {
        boolean kernel = use.equals("auto");
        LabNode node = lab.node("kernel: {use: " + use + "}\n" + more);
        if (kernel) {
            node.inKernel();
        }
        Map<String, List<String>> arrived = new LinkedHashMap<>();
        try (Capture capture = Capture.at(lab.receiver())) {
            int port = 7000;
            for (Kind kind : kinds(lab)) {
                InetSocketAddress to = new InetSocketAddress(InetAddress.getByName(kind.to()), LightLab.PORT);
                long before = kernel && kind.reason() != null ? node.up(kind.reason()) : 0;
                long carried = kernel ? node.done("forwarded") : 0;
                arrived.put(kind.name(), send(lab, kind, to, capture, port, kernel ? node : null));
                if (kernel && kind.reason() != null) {
                    assertThat(node.up(kind.reason()) - before).as("%s by reason %s", kind.name(), kind.reason()).isGreaterThanOrEqualTo(EACH);
                }
                if (kernel) {
                    boolean plain = kind.name().startsWith("plain");
                    assertThat(node.done("forwarded") - carried).as("%s: carried by the kernel", kind.name())
                            .isBetween(plain ? 1L : 0L, plain ? EACH - 1L : 0L);
                }
            }
            assertThat(node.errors()).isEmpty();
            if (kernel) {
                assertThat(node.get("/streams").toString()).contains("10.0.1.2");
            }
            var rule = node.rule("operator/all");
            node.end();
            return new Outcome(arrived, rule.path("packets").asLong(), rule.path("octets").asLong(), rule.path("forwarded").asLong());
        }
    }

    /** @return what has arrived of them: code point and payload of each UDP datagram, hops taken off, and of each fragment */
    private static List<String> send(LightLab lab, Kind kind, InetSocketAddress to, Capture capture, int port, LabNode kernel) throws Exception {
        boolean local = kind.name().startsWith("local");
        boolean six = kind.to().contains(":");
        capture.clear();
        InetAddress from = local ? InetAddress.getByName(kind.to()) : six ? lab.near().first().ipv6() : lab.near().first().ipv4();
        try (UdpPeer sender = new UdpPeer(local ? lab.host() : lab.sender(), from, 0);
                UdpPeer receiver = new UdpPeer(lab.receiver(), six ? lab.far().second().ipv6() : lab.far().second().ipv4(), port)) {
            for (int i = 0; i < EACH; i++) {
                int flows = kernel == null ? 0 : kernel.kernel().path("flows").asInt();
                sender.send(kind.datagram(), to);
                receiver.receive();
                if (i == 0 && kernel != null && kind.name().startsWith("plain")) {
                    await().atMost(LightLab.PATIENCE).until(() -> kernel.kernel().path("flows").asInt() > flows);
                }
            }
            if (kernel != null && local) {
                assertThat(whyNot(kernel)).contains("the sender is on this host");
            }
        }
        List<String> texts = new ArrayList<>();
        for (IpPacket packet : all(capture)) {
            assertThat(packet.fragment() || packet.hasGoodChecksum()).as("%s: %s", kind.name(), packet).isTrue();
            texts.add("dscp " + packet.dscp() + (packet.fragment() ? " fragment of " + packet.payload().length
                    : " " + HexFormat.of().formatHex(packet.payload())));
        }
        return texts;
    }

    /** At least one packet of each datagram, and then no more for a while: the capture may have to wait for a core. */
    private static List<IpPacket> all(Capture capture) throws InterruptedException {
        List<IpPacket> all = capture.await(EACH, LightLab.PATIENCE, packet -> packet.protocol() == IpPacket.UDP);
        for (int before = -1; before != all.size();) {
            before = all.size();
            Thread.sleep(100);
            all = capture.packets(packet -> packet.protocol() == IpPacket.UDP);
        }
        return all;
    }

    private static String whyNot(LabNode node) {
        StringBuilder all = new StringBuilder();
        node.get("/streams").path("streams").forEach(stream -> all.append(node.get("/explain/stream/" + stream.path("number")).toString()));
        return all.toString();
    }

    private static List<Kind> kinds(LightLab lab) {
        String here = lab.near().second().ipv4().getHostAddress();
        String here6 = lab.near().second().ipv6().getHostAddress();
        PacketOptions plain = to(lab, 1).hops(5);
        PacketOptions plain6 = AnepPeer.to(lab.far().second().ipv6().getHostAddress(), 7000, Delivery.ANEP).stream(2, 0).hops(5);
        return List.of(
                new Kind("plain IPv4", null, packet(plain, 100), here),
                new Kind("plain IPv4 at the other address", null, packet(to(lab, 20).hops(5), 101), lab.far().first().ipv4().getHostAddress()),
                new Kind("plain IPv6", null, packet(plain6, 100), here6),
                new Kind("IPv4 fragments", "fragment", packet(to(lab, 3).hops(5), 4000), here),
                new Kind("IPv6 fragments", "fragment", packet(AnepPeer.to(lab.far().second().ipv6().getHostAddress(), 7000, Delivery.ANEP)
                        .stream(4, 0).hops(5), 4000), here6),
                new Kind("local source", null, packet(to(lab, 5).hops(5), 100), here),
                new Kind("raw delivery", "options", packet(AnepPeer.to("10.0.2.2", 7000, Delivery.RAW).stream(6, 0).hops(5), 100), here),
                new Kind("a chain", "options", packet(AnepPeer.to("10.0.2.2", 7000, Delivery.ANEP, Grid.MONITORING).stream(7, 0).hops(5), 100), here),
                new Kind("a checksum", "checksum", packet(to(lab, 8).hops(5).checksum(true), 100), here),
                new Kind("no hops", "hops", packet(to(lab, 9), 100), here),
                new Kind("an unknown option", "options", withUnknownOption(packet(to(lab, 10).hops(5), 100)), here),
                new Kind("a long header", "long", packet(to(lab, 11).hops(5).authentication(new Identifier(1, new byte[300])), 100), here));
    }

    private static PacketOptions to(LightLab lab, int stream) {
        return AnepPeer.to(lab.far().second().ipv4().getHostAddress(), 7000, Delivery.ANEP).stream(stream, 0);
    }

    /** The same with one more option in front, that whoever does not know it ignores. */
    private static byte[] withUnknownOption(byte[] packet) {
        ByteBuffer longer = ByteBuffer.allocate(packet.length + 8).put(packet, 0, Anep.HEADER_SIZE).putInt(0x0777_0002).putInt(0x12345678)
                .put(packet, Anep.HEADER_SIZE, packet.length - Anep.HEADER_SIZE);
        return longer.putShort(4, (short) (longer.getShort(4) + 2)).putShort(6, (short) longer.capacity()).array();
    }

    private static byte[] packet(PacketOptions options, int payload) {
        return AnepPeer.packet(new PacketBuilder(Grid.FORWARD).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)
                .payload(Unpooled.wrappedBuffer(new byte[payload])));
    }

}
