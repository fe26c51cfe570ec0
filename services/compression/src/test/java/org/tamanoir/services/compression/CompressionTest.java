package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Position;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.Outcome;
import org.tamanoir.service.testkit.ServiceHarness;
import org.tamanoir.service.testkit.StreamHarness;
import org.tamanoir.services.compression.Compressor.SkipRule;

class CompressionTest {
    private static final byte[] TEXT = "a line of a log, such as it comes again and again. ".repeat(180)
            .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOISE = noise(2_000);

    private static byte[] noise(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    private static PacketOptions opening() throws Exception {
        return new PacketOptions().source(Identifier.of(InetAddress.getByName("127.0.0.9")))
                .destination(Identifier.of(InetAddress.getByName("::1"))).delivery(7_000, Delivery.RAW).stream(42, 17)
                .chain(0x5403, 0x5555).hops(9).qosSession(5).timestamp(1_234_567_890_123L);
    }

    private static int lengthOf(PacketOptions options, byte[] payload) {
        ByteBuf packet = new PacketBuilder(0x5403).options(options).payload(Unpooled.wrappedBuffer(payload)).build(UnpooledByteBufAllocator.DEFAULT);
        int length = packet.readableBytes();
        packet.release();
        return length;
    }

    private static String hex(Packet packet) {
        return ByteBufUtil.hexDump(packet.buffer(), packet.offset(), packet.length());
    }

    private static byte[] payload(Packet packet) {
        return ByteBufUtil.getBytes(packet.payload());
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "gzip"})
    void thePacketThatLeavesIsThePacketThatEntered(String algorithm) throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of("algorithm", algorithm));
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS)) {
            for (PacketOptions options : new PacketOptions[] {null, opening(), opening().checksum(true)}) {
                Packet wire = ingress.toDestination(options, TEXT).only();
                assertThat(wire.length()).isLessThan(TEXT.length / 10);
                assertThat(wire.contentEncoding().name()).isEqualToIgnoringCase(algorithm);
                assertThat(wire.originalLength()).isEqualTo(TEXT.length);
                assertThat(wire.typeId()).isEqualTo(ServiceHarness.TYPE_ID);
                String entered = hex(ingress.toDestination(options, new byte[0]).only());
                Packet out = egress.toDestination(wire).only();
                assertThat(payload(out)).isEqualTo(TEXT);
                assertThat(out.headerLength()).isEqualTo(entered.length() / 2);
                if (options == null || !options.checksum()) {
                    assertThat(hex(out).substring(16, entered.length())).as("the options").isEqualTo(entered.substring(16));
                }
            }
        }
    }

    @Test
    void theFlagsStay() throws Exception {
        ByteBuf flagged = new PacketBuilder(0x5403).flags(Anep.FLAG_DISCARD_UNKNOWN | 1).payload(Unpooled.wrappedBuffer(TEXT))
                .build(UnpooledByteBufAllocator.DEFAULT);
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS)) {
            Packet wire = ingress.toDestination(Packet.of(flagged)).only();
            assertThat(wire.flags()).isEqualTo(Anep.FLAG_DISCARD_UNKNOWN | 1);
            assertThat(hex(egress.toDestination(wire).only())).isEqualTo(ByteBufUtil.hexDump(flagged));
        } finally {
            flagged.release();
        }
    }

    @Test
    void theOpeningOptionsAreOnTheWireToo() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS)) {
            PacketOptions wire = ingress.toDestination(opening(), TEXT).only().options();
            assertThat(wire).usingRecursiveComparison().ignoringFields("contentEncoding", "originalLength").isEqualTo(opening());
        }
    }

    @Test
    void onTheWayBackTheRolesAreExchanged() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS)) {
            Packet wire = egress.toSource(TEXT).only();
            assertThat(wire.contentEncoding()).isEqualTo(ContentEncoding.ZSTD);
            assertThat(payload(ingress.toSource(wire).only())).isEqualTo(TEXT);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Position.class, names = {"TRANSIT", "ONLY"})
    void aNodeThatIsAtNoEndOrAtBothPassesEverything(Position position) throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness stream = harness.open(position)) {
            Packet wire = ingress.toDestination(TEXT).only();
            assertThat(stream.toDestination(TEXT).verdict()).isSameAs(Verdict.PASS);
            assertThat(stream.toDestination(wire).verdict()).isSameAs(Verdict.PASS);
            assertThat(stream.toSource(TEXT).verdict()).isSameAs(Verdict.PASS);
        }
    }

    @Test
    void whatDoesNotShrinkIsSmallOrIsEncodedAlreadyGoesOnAsItCame() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of("min-size", 100));
                StreamHarness ingress = harness.open(Position.INGRESS)) {
            assertThat(ingress.toDestination(NOISE).verdict()).isSameAs(Verdict.PASS);
            assertThat(ingress.toDestination(new byte[99]).verdict()).isSameAs(Verdict.PASS);
            assertThat(ingress.toDestination(new byte[100]).verdict()).isSameAs(Verdict.TAKEN);
            Packet wire = ingress.toDestination(TEXT).only();
            assertThat(ingress.toDestination(wire).verdict()).isSameAs(Verdict.PASS);
            assertThat(harness.metrics().value("left_packets")).isEqualTo(3);
            assertThat(harness.metrics().value("compressed_packets")).isEqualTo(2);
        }
    }

    @Test
    void theEgressRestoresByThePacketNotByItsConfiguration() throws Exception {
        try (ServiceHarness here = ServiceHarness.start(new Compression(), Map.of("algorithm", "gzip", "level", 9));
                ServiceHarness there = ServiceHarness.start(new Compression(), Map.of("algorithm", "zstd", "level", -3));
                StreamHarness ingress = here.open(Position.INGRESS);
                StreamHarness egress = there.open(Position.EGRESS)) {
            assertThat(payload(egress.toDestination(ingress.toDestination(TEXT).only()).only())).isEqualTo(TEXT);
            assertThat(egress.toDestination(NOISE).verdict()).as("a packet that was left").isSameAs(Verdict.PASS);
        }
    }

    @Test
    void wrongContentEndsATcpStreamAndDropsAUdpPacket() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness tcp = harness.open(Position.EGRESS, Transport.TCP);
                StreamHarness udp = harness.open(Position.EGRESS, Transport.UDP)) {
            for (ContentEncoding encoding : List.of(ContentEncoding.GZIP, ContentEncoding.ZSTD)) {
                for (PacketOptions options : List.of(new PacketOptions(), opening())) {
                    options.contentEncoding(encoding, 5_000);
                    assertThatThrownBy(() -> tcp.toDestination(options, NOISE)).isInstanceOf(AnepException.class)
                            .hasMessageStartingWith("EE-109");
                    Verdict verdict = udp.toDestination(options, NOISE).verdict();
                    assertThat(verdict.isDrop()).isTrue();
                    assertThat(verdict.reason()).isEqualTo("bad-content");
                }
            }
            PacketOptions tooLong = opening().contentEncoding(ContentEncoding.ZSTD, 65_535);
            assertThatThrownBy(() -> tcp.toDestination(tooLong, NOISE)).hasMessageContaining("does not fit");
            assertThat(harness.metrics().value("failed_packets")).isEqualTo(9);
        }
    }

    @Property(tries = 150)
    void noPacketIsEverLongerThanBeforeAndEveryPayloadComesBack(@ForAll Random random, @ForAll boolean gzip,
            @ForAll @IntRange(max = 300) int minSize) throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of("algorithm", gzip ? "gzip" : "zstd", "min-size", minSize));
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS)) {
            for (int i = 0; i < 40; i++) {
                byte[] octets = CodecTest.payload(random, random.nextInt(random.nextBoolean() ? 200 : 20_000));
                PacketOptions options = random.nextInt(3) == 0 ? opening().checksum(random.nextBoolean()) : null;
                int before = lengthOf(options, octets);
                Packet wire = ingress.toDestination(options, octets).only();
                assertThat(wire.length()).isLessThanOrEqualTo(before);
                assertThat(wire.contentEncoding() == null || wire.length() < before).isTrue();
                Packet out = egress.toDestination(wire).only();
                assertThat(payload(out)).isEqualTo(octets);
                assertThat(out.length()).isEqualTo(before);
            }
        }
    }

    @Test
    void dataThatDoesNotCompressIsHardlyTried() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS)) {
            for (int i = 0; i < 1_000; i++) {
                assertThat(ingress.toDestination(NOISE).verdict()).isSameAs(Verdict.PASS);
            }
            assertThat(harness.metrics().value("skipped_packets")).isGreaterThan(970);
            int noticed = 0;
            while (ingress.toDestination(TEXT).verdict() == Verdict.PASS) {
                noticed++;
            }
            assertThat(noticed).isLessThan(SkipRule.RAREST);
            assertThat(ingress.toDestination(TEXT).verdict()).isSameAs(Verdict.TAKEN);
        }
    }

    @Test
    void aThousandStreamsShareTheContextsOfTheThreadsThatWork() throws Exception {
        Compression compression = new Compression();
        try (ServiceHarness harness = ServiceHarness.start(compression, Map.of())) {
            List<StreamHarness> streams = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                StreamHarness stream = harness.open(Position.INGRESS);
                stream.toDestination(TEXT);
                streams.add(stream);
            }
            assertThat(compression.idleCodecs()).isEqualTo(1);
            streams.forEach(StreamHarness::close);
        }
        assertThat(compression.idleCodecs()).as("after stop").isZero();
    }

    @Test
    void threadsThatWorkAtTheSameTimeDoNotDisturbEachOther() throws Exception {
        Compression compression = new Compression();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (ServiceHarness harness = ServiceHarness.start(compression, Map.of())) {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS);
                Random random = new Random(i);
                work.add(threads.submit(() -> {
                    for (int packet = 0; packet < 100; packet++) {
                        byte[] octets = CodecTest.payload(random, 1 + random.nextInt(10_000));
                        assertThat(payload(egress.toDestination(ingress.toDestination(octets).only()).only())).isEqualTo(octets);
                    }
                    return null;
                }));
            }
            for (Future<?> done : work) {
                done.get(30, TimeUnit.SECONDS);
            }
            assertThat(compression.idleCodecs()).isBetween(1, 4);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void theReportAndTheMetricsCountBothDirections() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new Compression(), Map.of());
                StreamHarness ingress = harness.open(Position.INGRESS);
                StreamHarness egress = harness.open(Position.EGRESS)) {
            Outcome wire = ingress.toDestination(TEXT);
            ingress.toDestination(NOISE);
            Packet back = egress.toSource(TEXT).only();
            ingress.toSource(back);
            long in = 8 + TEXT.length + 8 + NOISE.length;
            long out = wire.only().length() + 8 + NOISE.length;
            assertThat(ingress.report().get("toDestination")).asInstanceOf(InstanceOfAssertFactories.MAP).containsEntry("does", "compress")
                    .containsEntry("compressed", 1L).containsEntry("left", 1L).containsEntry("octetsIn", in).containsEntry("octetsOut", out)
                    .containsEntry("ratio", (double) in / out);
            assertThat(ingress.report().get("toSource")).asInstanceOf(InstanceOfAssertFactories.MAP).containsEntry("does", "restore")
                    .containsEntry("restored", 1L).containsEntry("octetsOut", 8L + TEXT.length);
            assertThat(harness.metrics().value("in_bytes")).isEqualTo(in);
            assertThat(harness.metrics().value("out_bytes")).isEqualTo(out);
            assertThat(harness.metrics().value("return_in_bytes")).isEqualTo(8L + TEXT.length + back.length());
            assertThat(harness.metrics().value("ratio")).isGreaterThan(1);
        }
    }

    @Test
    void optionsOutOfRangeEndTheStart() {
        for (Map<String, ?> options : List.of(Map.of("algorithm", "lzma"), Map.of("level", 23), Map.of("algorithm", "gzip", "level", 10),
                Map.of("algorithm", "gzip", "level", 0), Map.of("min-size", 65_536))) {
            assertThatThrownBy(() -> ServiceHarness.start(new Compression(), options)).as(options.toString())
                    .isInstanceOf(AnepException.class).hasMessageStartingWith("EE-501");
        }
    }

    @Test
    void aStreamHasTheLevelThatItAsksForWithinBounds() throws Exception {
        for (Map<String, Object> options : List.of(Map.<String, Object>of(), Map.<String, Object>of("level", 22))) {
            try (ServiceHarness harness = ServiceHarness.start(new Compression(), options)) {
                for (int level : new int[] {-7, 9}) {
                    try (StreamHarness stream = harness.stream(Position.INGRESS).parameter("level", level).open()) {
                        assertThat(stream.report()).extractingByKey("toDestination", InstanceOfAssertFactories.MAP).containsEntry("level", Integer.toString(level));
                    }
                }
                int most = (int) options.getOrDefault("level", 9);
                for (Position position : Position.values()) {
                    assertThatThrownBy(() -> harness.stream(position).parameter("level", most + 1).open()).isInstanceOf(AnepException.class)
                            .hasMessageContaining("EE-110").hasMessageContaining("-7 to " + most);
                }
            }
        }
    }
}
