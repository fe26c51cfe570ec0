package org.tamanoir.services.coalesce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;

class CoalesceTest {
    private static final Duration MILLI = Duration.ofMillis(1);

    private ServiceHarness harness;
    private StreamHarness ingress;
    private StreamHarness egress;
    private int sequence;

    @BeforeEach
    void start() throws Exception {
        start(Map.of());
    }

    private void start(Map<String, ?> options) throws Exception {
        harness = ServiceHarness.start(new Coalesce(), options);
        ingress = harness.open(Position.INGRESS, Transport.UDP);
        egress = harness.open(Position.EGRESS, Transport.UDP);
    }

    @AfterEach
    void close() {
        ingress.close();
        egress.close();
        harness.close();
    }

    /** A datagram as a node shows it to its services. */
    private Packet packet(int payload) {
        return packet(payload, new PacketOptions());
    }

    private Packet packet(int payload, PacketOptions options) {
        byte[] octets = new byte[payload];
        new Random(sequence).nextBytes(octets);
        ByteBuf packet = new PacketBuilder(ServiceHarness.TYPE_ID).flags(0x80).options(options.destination(Identifier.of(InetAddress.getLoopbackAddress()))
                .delivery(7000, Delivery.ANEP).stream(42, sequence++).hops(15).previousNode(new PreviousNode(1, 3324))).payload(Unpooled.wrappedBuffer(octets))
                .build(new UnpooledByteBufAllocator(false, true));
        return Packet.of(packet);
    }

    private static String hex(Packet packet) {
        return ByteBufUtil.hexDump(packet.buffer(), packet.offset(), packet.length());
    }

    private static List<String> hex(List<Packet> packets) {
        return packets.stream().map(CoalesceTest::hex).toList();
    }

    /** What leaves the egress when this comes to it. */
    private List<String> through(List<Packet> wire) throws Exception {
        List<String> out = new ArrayList<>();
        for (Packet packet : wire) {
            out.addAll(hex(egress.toDestination(packet).onward()));
        }
        return out;
    }

    private double sent(String by) {
        return harness.metrics().value("sent_packets", Map.of("by", by));
    }

    @Test
    void thePacketAfterAQuietTimeLeavesAtOnceAndThoseBehindItTogetherWhenTheTimeIsOver() throws Exception {
        Packet first = packet(64);
        List<Packet> more = List.of(packet(64), packet(0), packet(64));
        assertThat(ingress.toDestination(first).verdict()).as("nothing waits that finds the way quiet").isSameAs(Verdict.PASS);
        for (Packet packet : more) {
            assertThat(ingress.advance(Duration.ofNanos(300_000)).toDestination()).isEmpty();
            assertThat(ingress.toDestination(packet).onward()).isEmpty();
        }
        assertThat(ingress.advance(Duration.ofNanos(99_999)).toDestination()).as("before the time is over").isEmpty();
        List<Packet> wire = ingress.advance(Duration.ofNanos(1)).toDestination();
        assertThat(wire).hasSize(1);
        assertThat(wire.get(0).contentEncoding()).isEqualTo(ContentEncoding.JOINED);
        assertThat(through(List.of(wire.get(0)))).isEqualTo(hex(more));
        assertThat(egress.toDestination(first).verdict()).as("what is not joined").isSameAs(Verdict.PASS);
        assertThat(ingress.advance(MILLI).toDestination()).isEmpty();
        assertThat(ingress.toDestination(packet(64)).verdict()).as("quiet again").isSameAs(Verdict.PASS);
        ingress.toDestination(packet(64));
        assertThat(ingress.advance(MILLI).toDestination()).as("one alone leaves as it came").extracting(Packet::contentEncoding).containsExactly((ContentEncoding) null);
        assertThat(List.of(sent("quiet"), sent("deadline"), sent("size"), sent("order"))).containsExactly(2.0, 2.0, 0.0, 0.0);
        assertThat(harness.metrics().value("packets")).isEqualTo(6);
        assertThat(harness.metrics().value("joined_packets")).isEqualTo(3);
        assertThat(harness.metrics().value("restored_packets")).isEqualTo(3);
        assertThat(ingress.report()).containsEntry("toDestination", Map.of("does", "join", "packets", 6L, "joined", 3L, "sent", 4L));
    }

    /** No packet waits longer than the time says, none overtakes another, and no joined packet is larger than the MTU, whatever comes when. */
    @Test
    @Tag("long")
    @Tag("seeded")
    void everyPacketArrivesAsItWasInItsPlaceAndInTime() throws Exception {
        long seed = System.nanoTime();
        System.out.println("CoalesceTest: seed " + seed);
        Random random = new Random(seed);
        List<String> came = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        List<String> left = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < 3_000; i++) {
            int size = random.nextInt(20) == 0 ? 1000 + random.nextInt(1000) : random.nextInt(200);
            PacketOptions options = new PacketOptions().checksum(random.nextInt(5) == 0).qosSession(random.nextInt(5));
            Packet packet = packet(size, random.nextInt(30) == 0 ? options.contentEncoding(ContentEncoding.ZSTD, 5000) : options);
            came.add(hex(packet));
            times.add(now);
            List<Packet> wire = new ArrayList<>(ingress.toDestination(packet).onward());
            long pause = random.nextInt(10) == 0 ? random.nextInt(3_000_000) : random.nextInt(200_000);
            for (long step = 0; step < pause; step += 50_000) {
                wire.addAll(ingress.advance(Duration.ofNanos(50_000)).toDestination());
                now += 50_000;
                assertThat(wire).allMatch(each -> each.contentEncoding() != ContentEncoding.JOINED || each.length() <= 1400);
                left.addAll(through(wire));
                wire.clear();
                assertThat(left.size() == times.size() ? Long.MAX_VALUE : times.get(left.size()) + 1_000_000).as("when the oldest that waits has to leave").isGreaterThan(now);
            }
            left.addAll(through(wire));
        }
        left.addAll(through(ingress.end().onward()));
        assertThat(left).isEqualTo(came);
        assertThat(sent("size")).isPositive();
        assertThat(sent("order")).isPositive();
    }

    @Test
    void onTheWayBackTheRolesAreExchanged() throws Exception {
        List<Packet> packets = List.of(packet(10), packet(20), packet(30));
        assertThat(egress.toSource(packets.get(0)).verdict()).isSameAs(Verdict.PASS);
        egress.toSource(packets.get(1));
        egress.toSource(packets.get(2));
        List<Packet> wire = egress.advance(MILLI).toSource();
        assertThat(wire).hasSize(1);
        assertThat(hex(ingress.toSource(wire.get(0)).onward())).isEqualTo(hex(packets.subList(1, 3)));
        assertThat(ingress.toSource(packets.get(0)).verdict()).isSameAs(Verdict.PASS);
    }

    @Test
    void aLostPacketTakesThoseInItAndNoOther() throws Exception {
        List<String> came = new ArrayList<>();
        List<Packet> wire = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Packet packet = packet(64);
            came.add(hex(packet));
            wire.addAll(ingress.toDestination(packet).onward());
        }
        wire.addAll(ingress.advance(MILLI).toDestination());
        Packet lost = wire.remove(1);
        List<String> arrived = through(wire);
        assertThat(through(List.of(lost))).isEqualTo(came.subList(1, 1 + came.size() - arrived.size()));
        came.subList(1, 1 + came.size() - arrived.size()).clear();
        assertThat(arrived).isEqualTo(came);
        assertThat(wire.size()).as("datagrams for 100 of 144 octets").isLessThan(13);
    }

    @ParameterizedTest
    @EnumSource(value = Position.class, names = {"TRANSIT", "ONLY"})
    void aNodeThatIsAtNoEndOrAtBothPassesEverything(Position position) throws Exception {
        try (StreamHarness stream = harness.open(position, Transport.UDP)) {
            for (int i = 0; i < 3; i++) {
                assertThat(stream.toDestination(packet(64)).verdict()).isSameAs(Verdict.PASS);
                assertThat(stream.toSource(packet(64)).verdict()).isSameAs(Verdict.PASS);
            }
            ingress.toDestination(packet(64));
            ingress.toDestination(packet(64));
            ingress.toDestination(packet(64));
            Packet joined = ingress.advance(MILLI).toDestination().get(0);
            assertThat(stream.toDestination(joined).verdict()).isSameAs(Verdict.PASS);
        }
    }

    @Test
    void overTcpEverythingPasses() throws Exception {
        try (StreamHarness stream = harness.open(Position.INGRESS, Transport.TCP)) {
            for (int i = 0; i < 3; i++) {
                assertThat(stream.toDestination(new byte[64]).verdict()).isSameAs(Verdict.PASS);
            }
        }
    }

    /** Any damage costs the joined packet; what comes out is at most what went in, and only good packets of the stream. */
    @Test
    @Tag("seeded")
    void whatIsDamagedOrMadeUpIsDroppedOrComesOutAsPacketsOfTheStream() throws Exception {
        long seed = System.nanoTime();
        System.out.println("CoalesceTest: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 8; i++) {
            ingress.toDestination(packet(64));
        }
        Packet good = ingress.advance(MILLI).toDestination().get(0);
        int drops = 0;
        for (int round = 0; round < 2_000; round++) {
            byte[] octets = ByteBufUtil.getBytes(good.payload());
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
                octets[random.nextInt(octets.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Outcome outcome = egress.toDestination(good.options().contentEncoding(ContentEncoding.JOINED, octets.length), octets);
            if (outcome.verdict().isDrop()) {
                assertThat(outcome.verdict().reason()).isEqualTo("bad-content");
                assertThat(outcome.onward()).isEmpty();
                drops++;
            } else {
                assertThat(outcome.onward().stream().mapToInt(Packet::length).sum()).isEqualTo(octets.length);
                assertThat(outcome.onward()).allMatch(each -> each.typeId() == ServiceHarness.TYPE_ID && each.streamId() == 42 && each.contentEncoding() == null);
            }
        }
        assertThat(drops).isGreaterThan(100);
        assertThat(harness.metrics().value("refused_packets")).isEqualTo(drops);
        assertThat(egress.toDestination(good).onward()).as("the next one").hasSize(7);
    }

    @Test
    void whatIsHeldIsLetGoWithTheStream() throws Exception {
        ingress.toDestination(packet(64));
        ingress.toDestination(packet(64));
        assertThat(ingress.octetsHeld()).isPositive();
        ingress.close();
        assertThat(ingress.octetsHeld()).isZero();
    }

    @Test
    void optionsHaveBounds() throws Exception {
        close();
        for (Map<String, ?> wrong : List.of(Map.of("delay", "0ms"), Map.of("delay", "101ms"), Map.of("mtu", 255), Map.of("mtu", 65_508))) {
            assertThatThrownBy(() -> ServiceHarness.start(new Coalesce(), wrong)).as("%s", wrong).hasMessageStartingWith("EE-501");
        }
        start(Map.of("delay", "10ms", "mtu", 300));
        ingress.toDestination(packet(64));
        ingress.toDestination(packet(64));
        assertThat(ingress.toDestination(packet(64)).onward()).as("two have no room in 300 octets").hasSize(1);
    }
}
