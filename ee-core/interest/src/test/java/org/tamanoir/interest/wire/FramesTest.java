package org.tamanoir.interest.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;

class FramesTest {
    private static Map<String, String> vectors() throws IOException {
        Map<String, String> vectors = new LinkedHashMap<>();
        try (var in = FramesTest.class.getResourceAsStream("/vectors.txt")) {
            new String(in.readAllBytes(), UTF_8).lines().filter(line -> !line.startsWith("#")).map(line -> line.split(" +", 2))
                    .forEach(parts -> vectors.put(parts[0], parts[1].replace(" ", "")));
        }
        return vectors;
    }

    @Test
    void framesAreAsTheVectorsSay() throws IOException {
        Map<String, ByteBuf> made = new LinkedHashMap<>();
        made.put("hello", Frames.hello());
        made.put("subscribe", Frames.subscribe(7, "{\"topic\":\"#\"}"));
        made.put("unsubscribe", Frames.numbered(Frames.UNSUBSCRIBE, 7));
        made.put("ready", Frames.numbered(Frames.READY, 7));
        made.put("event", EventView.frame("a/b", EventView.JSON, "{\"v\":1}".getBytes(UTF_8)));
        made.put("event-octets", EventView.frame("a", EventView.OCTETS, new byte[] {(byte) 0xFF}));
        made.put("event-placed", EventView.frame("a", EventView.JSON, new double[] {12.5, -42.5}, new byte[0]));
        made.put("path", Frames.path(new long[] {1, -2}));
        made.put("dropped", Frames.dropped(false, 5));
        made.put("dropped-away", Frames.dropped(true, 5));
        made.put("ping", Frames.ping());
        made.put("told", Frames.told());
        made.put("numbered", Frames.numbered(Unpooled.buffer(), 300));
        Map<String, String> hex = new LinkedHashMap<>();
        made.forEach((name, frame) -> hex.put(name, ByteBufUtil.hexDump(frame)));
        assertThat(hex).isEqualTo(vectors());
    }

    @Test
    void anEventIsReadWhereItLies() throws IOException {
        EventView view = new EventView();
        ByteBuf in = Unpooled.wrappedBuffer(new byte[] {9, 9}, ByteBufUtil.decodeHexDump(vectors().get("event-placed")));
        view.wrap(in, 2 + Frames.HEADER, in.writerIndex());
        assertThat(view.topicText()).isEqualTo("a");
        assertThat(new double[] {view.x(), view.y()}).containsExactly(12.5, -42.5);
        assertThat(view.dataOctets()).isEmpty();
        assertThat(view.content()).isEqualTo(EventView.JSON);
        assertThat(in.slice(view.frame(), view.frameLength())).isEqualTo(in.slice(2, in.readableBytes() - 2));
        in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(vectors().get("event")));
        view.wrap(in, Frames.HEADER, in.writerIndex());
        assertThat(view.hasPosition()).isFalse();
        assertThat(new String(view.dataOctets(), UTF_8)).isEqualTo("{\"v\":1}");
    }

    /** However the octets are cut. */
    @Test
    void framesAreFoundInOctetsAsTheyCome() throws IOException {
        Random random = new Random(7);
        List<String> all = new ArrayList<>(vectors().values());
        for (int round = 0; round < 500; round++) {
            List<String> sent = new ArrayList<>();
            ByteBuf octets = Unpooled.buffer();
            for (int i = random.nextInt(20); i >= 0; i--) {
                sent.add(all.get(random.nextInt(all.size())));
                octets.writeBytes(ByteBufUtil.decodeHexDump(sent.get(sent.size() - 1)));
            }
            List<String> found = new ArrayList<>();
            FrameReader reader = new FrameReader(Frames.LONGEST);
            while (octets.isReadable()) {
                ByteBuf piece = octets.readSlice(Math.min(octets.readableBytes(), 1 + random.nextInt(round % 40 + 1)));
                reader.take(piece, (kind, in, body, end) -> {
                    assertThat(in.getUnsignedByte(body - Frames.HEADER)).isEqualTo((short) kind);
                    found.add(ByteBufUtil.hexDump(in, body - Frames.HEADER, end - body + Frames.HEADER));
                });
            }
            assertThat(found).isEqualTo(sent);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', an event of 0", "0100, an event of 2", "01007b7b, with a topic of 0", "0405616263646566, whose content is 4", "01ff616263, with a topic of 255",
        "8101614029000000000000, with a topic of 1", "8101617ff80000000000004029000000000000, position is no number"})
    void whatIsNoEventIsRefused(String body, String why) {
        ByteBuf in = Unpooled.wrappedBuffer(new byte[Frames.HEADER], ByteBufUtil.decodeHexDump(body));
        assertThatThrownBy(() -> new EventView().wrap(in, Frames.HEADER, in.writerIndex())).isInstanceOf(AnepException.class).hasMessageContaining("EE-109").hasMessageContaining(why);
    }

    @Test
    void aFrameThatIsTooLongIsRefusedAtItsHeader() {
        FrameReader reader = new FrameReader(100);
        reader.take(Unpooled.wrappedBuffer(new byte[] {5, 0, 0}), (kind, in, body, end) -> {
            throw new AssertionError("there is none");
        });
        assertThatThrownBy(() -> reader.take(Unpooled.wrappedBuffer(new byte[] {101, 0}), (kind, in, body, end) -> {
            throw new AssertionError("there is none");
        })).isInstanceOf(AnepException.class).hasMessageContaining("EE-109");
    }

    @Test
    void aTopicOfMoreThan255OctetsIsNone() {
        assertThat(EventView.frame("ä".repeat(127), EventView.OCTETS, new byte[0]).readableBytes()).isEqualTo(Frames.HEADER + 2 + 254);
        assertThatThrownBy(() -> EventView.frame("ä".repeat(128), EventView.OCTETS, new byte[0])).hasMessageContaining("EE-109");
        assertThatThrownBy(() -> EventView.frame("", EventView.OCTETS, new byte[0])).hasMessageContaining("EE-109");
    }
}
