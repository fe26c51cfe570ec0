package org.tamanoir.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class FramesTest {
    private static final Map<String, Frame> FRAMES = new LinkedHashMap<>();

    static {
        FRAMES.put("join", new Frame.Join(false, 1, 16, "g", Ranks.of(3)));
        FRAMES.put("node", new Frame.Join(true, 2, 17, "ge", Ranks.of(8, 16)));
        FRAMES.put("ready", new Frame.Ready());
        FRAMES.put("gone", new Frame.Gone(211, Ranks.of(7), "of"));
        FRAMES.put("failed", new Frame.Failed(208, 9, Ranks.of(1, 8), "of"));
        FRAMES.put("refused", new Frame.Refused(318, Ranks.of(0), "of"));
        FRAMES.put("barrier", Piece.part(1, Signature.barrier(), 0, 0, new byte[0]));
        FRAMES.put("sum", Piece.part(2, Signature.reduce(Element.FLOAT64, Reduction.SUM, Signature.ALL), 16, 0, hex("3ff0000000000000c000000000000000")));
        FRAMES.put("result", new Piece(Piece.Way.RESULT, Piece.LAST | Piece.SAVE, Signature.reduce(Element.INT64, Reduction.MAX, 5), 3, 0, 8, 0, hex("0000000000000007")));
        FRAMES.put("content", Piece.data(4, Signature.gather(Signature.ALL), 3, 2, 0, hex("6869")));
        FRAMES.put("leave", new Frame.Leave());
        FRAMES.put("ask", new Frame.Ask());
        FRAMES.put("saved", new Frame.Saved(7));
        FRAMES.put("safe", new Frame.Safe(7));
        FRAMES.put("who", new Frame.Who(8, 1000));
        FRAMES.put("missing", new Frame.Missing(Ranks.of(2)));
    }

    private static byte[] hex(String text) {
        return ByteBufUtil.decodeHexDump(text);
    }

    private static Map<String, byte[]> vectors() throws IOException {
        Map<String, byte[]> vectors = new LinkedHashMap<>();
        try (InputStream in = FramesTest.class.getResourceAsStream("/vectors.txt")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] parts = line.split(" ", 2);
                vectors.put(parts[0], hex(parts[1].replace(" ", "")));
            });
        }
        return vectors;
    }

    private static List<Frame> read(byte[] octets, int... cuts) {
        List<Frame> frames = new ArrayList<>();
        FrameReader reader = new FrameReader();
        int from = 0;
        for (int cut : cuts) {
            reader.take(Unpooled.wrappedBuffer(octets, from, cut - from), frames::add);
            from = cut;
        }
        reader.take(Unpooled.wrappedBuffer(octets, from, octets.length - from), frames::add);
        assertThat(reader.isInside()).isFalse();
        return frames;
    }

    private static byte[] written(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        Frames.write(frame, out);
        return ByteBufUtil.getBytes(out);
    }

    @Test
    void eachIsWrittenAndReadAsItStands() throws IOException {
        assertThat(vectors().keySet()).isEqualTo(FRAMES.keySet());
        vectors().forEach((name, octets) -> {
            assertThat(ByteBufUtil.hexDump(written(FRAMES.get(name)))).as(name).isEqualTo(ByteBufUtil.hexDump(octets));
            for (int cut = 0; cut <= octets.length; cut++) {
                assertThat(read(octets, cut)).as(name).containsExactly(FRAMES.get(name));
            }
        });
    }

    @Test
    void oneThatIsShorterOrLongerThanItsFieldsIsRefused() throws IOException {
        vectors().forEach((name, octets) -> {
            byte[] longer = Arrays.copyOf(octets, octets.length + 1);
            longer[3]++;
            refused(name, longer);
            byte[] shorter = Arrays.copyOf(octets, octets.length - 1);
            shorter[3]--;
            refused(name, shorter);
        });
    }

    private static void refused(String name, byte[] octets) {
        assertThatThrownBy(() -> read(octets)).as(name).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONTENT));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        refused("no length", hex("00000000"));
        refused("a long one", hex("7fffffff"));
        refused("a negative one", hex("ffffffff"));
        refused("longer than the longest", hex("0000802601"));
        refused("no kind", hex("0000000100"));
        refused("version", hex("0000001301020000000001000000100001670000000108"));
        refused("two ranks of a member", hex("0000001301010000000001000000100001670000000118"));
        refused("a rank beyond the size", hex("0000001301010000000001000000020001670000000108"));
        refused("a blank in the name", hex("0000001301010000000001000000100001200000000108"));
        refused("epoch 0", hex("0000001301010000000000000000100001670000000108"));
        refused("ranks beyond all", hex("000000060dffff000101"));
        refused("an operation that is not known", written(FRAMES.get("barrier")), 6, 7);
        refused("bits of doubles", written(FRAMES.get("sum")), 8, 5);
        refused("an element of a barrier", written(FRAMES.get("barrier")), 7, 1);
        refused("operation 0", written(FRAMES.get("barrier")), 16, 0);
        refused("a total that is not there", written(FRAMES.get("sum")), 32, 17);
        refused("an offset inside a piece", written(FRAMES.get("sum")), 40, 8);
    }

    private static void refused(String name, byte[] octets, int at, int value) {
        octets[at] = (byte) value;
        refused(name, octets);
    }

    @Property(tries = 300)
    void anyOctetsAreReadOrRefused(@ForAll @Size(max = 200) byte[] octets, @ForAll @IntRange(min = 1, max = 14) int kind) {
        ByteBuf frame = Unpooled.buffer().writeInt(octets.length + 1).writeByte(kind).writeBytes(octets);
        try {
            new FrameReader().take(frame, read -> assertThat(written(read).length).isPositive());
        } catch (AnepException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONTENT);
        }
    }

    @Test
    void ranksAreTold() {
        assertThat(Ranks.of(0, 1, 2, 7)).hasToString("0-2, 7");
        Ranks ranks = Ranks.below(65_536);
        assertThat(((Frame.Missing) read(written(new Frame.Missing(ranks))).get(0)).ranks()).isEqualTo(ranks);
        assertThat(ranks.without(Ranks.below(65_535)).first()).isEqualTo(65_535);
        assertThat(Ranks.none().toString()).isEmpty();
    }
}
