package org.tamanoir.qos.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.qos.wire.Messages.Stop;

class MessagesTest {
    private static final Stop FIRST = new Stop("00000000000000a1", new InetSocketAddress("10.1.0.1", 3322), new InetSocketAddress("0.0.0.0", 862),
            15);
    private static final Stop LAST = new Stop("00000000000000b2", new InetSocketAddress("fd00::1", 3322), null, 14);

    /** Written by hand from the tables of docs/qos.md. */
    private static final String REQUEST = "514f53494e555301" + hex("{\"op\":\"open\",\"request\":\"000000000000002a\",\"patience\":3000,"
            + "\"session\":\"8000000000000001\",\"level\":{\"flow\":{\"transport\":\"tcp\"},\"objectives\":{\"delay\":\"low\"},\"excess\":\"drop\"},"
            + "\"path\":[{\"node\":\"00000000000000a1\",\"address\":\"10.1.0.1:3322\",\"hops\":15,\"probes\":\"0.0.0.0:862\"}]}");
    private static final String ANSWER = "514f53494e555301" + hex("{\"op\":\"answer\",\"request\":\"000000000000002a\","
            + "\"session\":\"8000000000000001\",\"code\":803,\"text\":\"one node\",\"path\":[{\"node\":\"00000000000000a1\","
            + "\"address\":\"10.1.0.1:3322\",\"hops\":15,\"probes\":\"0.0.0.0:862\"},{\"node\":\"00000000000000b2\","
            + "\"address\":\"[fd00::1]:3322\",\"hops\":14}]}");

    private static String hex(String text) {
        return ByteBufUtil.hexDump(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aRequestHasTheseOctets() {
        Request request = new Request(Op.OPEN, 42, 0x8000000000000001L, LevelReader.read("delay=low"), 3000, List.of(FIRST));
        ByteBuf octets = Messages.write(request, UnpooledByteBufAllocator.DEFAULT);

        assertThat(ByteBufUtil.hexDump(octets)).isEqualTo(REQUEST);
        assertThat(Messages.isMessage(octets)).isTrue();
        assertThat(Messages.request(octets)).isEqualTo(request);
        octets.release();
    }

    @Test
    void anAnswerHasTheseOctets() {
        Answer answer = new Answer(42, 0x8000000000000001L, ErrorCode.PARTIAL_PATH, "one node", List.of(FIRST, LAST));
        ByteBuf octets = Messages.write(answer, UnpooledByteBufAllocator.DEFAULT);

        assertThat(ByteBufUtil.hexDump(octets)).isEqualTo(ANSWER);
        assertThat(Messages.answer(octets)).isEqualTo(answer);
        assertThat(Messages.request(octets)).isNull();
        octets.release();
    }

    /** Written by hand from the tables of docs/qos.md, as those above. */
    @Test
    void aFileWithADeadlineHasTheseOctets() {
        String within = opening("\"objectives\":{\"size\":5000000000,\"within\":\"600s\"},\"excess\":\"drop\"");
        String by = within.replace(hex("\"within\":\"600s\""), hex("\"by\":\"2126-05-01T12:00:00Z\""));

        assertThat(opened("size=5000000000,within=10m")).isEqualTo(within);
        assertThat(opened("size=5000000000,by=2126-05-01T12:00:00Z")).isEqualTo(by);
        assertThat(Messages.request(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(by))).level().objectives().transfer().by())
                .isEqualTo("2126-05-01T12:00:00Z");
    }

    @Test
    void stabilityHasTheseOctets() {
        String word = opening("\"objectives\":{\"stability\":\"high\"},\"excess\":\"drop\"");

        assertThat(opened("stability=high")).isEqualTo(word);
        assertThat(opened("maxRateVariationPct=12.5"))
                .isEqualTo(word.replace(hex("\"stability\":\"high\""), hex("\"maxRateVariationPct\":12.5")));
    }

    /** An older node knows no such field, and refuses it. */
    @Test
    void directionsHaveTheseOctets() {
        String both = opening("\"objectives\":{\"delay\":\"low\"},\"excess\":\"drop\",\"directions\":\"both\"");

        assertThat(opened("delay=low,directions=both")).isEqualTo(both);
        assertThat(opened("delay=low,directions=there"))
                .isEqualTo(both.replace(hex(",\"directions\":\"both\""), ""));
    }

    /** Who does not know a warning reads the answer without it. */
    @Test
    void anAnswerWithAWarningHasTheseOctets() {
        Answer answer = new Answer(42, 0x8000000000000001L, null, "", List.of(), "too slow");
        String octets = "514f53494e555301" + hex("{\"op\":\"answer\",\"request\":\"000000000000002a\",\"session\":\"8000000000000001\","
                + "\"warning\":\"too slow\",\"path\":[]}");
        ByteBuf written = Messages.write(answer, UnpooledByteBufAllocator.DEFAULT);

        assertThat(ByteBufUtil.hexDump(written)).isEqualTo(octets);
        assertThat(Messages.answer(written)).isEqualTo(answer);
        written.release();
    }

    /** A request for a flow over TCP. @param level what else its level says */
    private static String opening(String level) {
        return "514f53494e555301" + hex("{\"op\":\"open\",\"request\":\"000000000000002c\",\"patience\":3000,\"level\":{\"flow\":{\"transport\":\"tcp\"}," + level
                + "},\"path\":[]}");
    }

    private static String opened(String level) {
        return written(new Request(Op.OPEN, 44, 0, LevelReader.read(level), 3000, List.of()));
    }

    private static String written(Request request) {
        ByteBuf octets = Messages.write(request, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.hexDump(octets);
        } finally {
            octets.release();
        }
    }

    /** Hostile octets: any change of a good message is read as a message, or is EE-801; nothing else is thrown. */
    @Property(tries = 2000)
    void whateverArrivesIsReadOrRefused(@ForAll("broken") byte[] octets) {
        ByteBuf payload = Unpooled.wrappedBuffer(octets);
        if (!Messages.isMessage(payload)) {
            return;
        }
        try {
            Request request = Messages.request(payload);
            assertThat(request == null || request.number() != 0).isTrue();
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
        }
        try {
            Messages.answer(payload);
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_SERVICE_LEVEL);
        }
    }

    @Provide
    Arbitrary<byte[]> broken() {
        Arbitrary<byte[]> good = Arbitraries.of(REQUEST, ANSWER).map(ByteBufUtil::decodeHexDump);
        return good.flatMap(octets -> Arbitraries.integers().between(8, octets.length - 1).list().ofMaxSize(6)
                .flatMap(places -> Arbitraries.bytes().array(byte[].class).ofSize(6).flatMap(values -> Arbitraries.integers()
                        .between(8, octets.length).map(length -> {
                            byte[] changed = java.util.Arrays.copyOf(octets, length % 3 == 0 ? length : octets.length);
                            for (int i = 0; i < places.size(); i++) {
                                if (places.get(i) < changed.length) {
                                    changed[places.get(i)] = values[i];
                                }
                            }
                            return changed;
                        }))));
    }
}
