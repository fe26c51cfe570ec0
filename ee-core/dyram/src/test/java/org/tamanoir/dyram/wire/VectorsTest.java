package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.wire.Losses.Range;
import org.tamanoir.dyram.wire.MemberState.Phase;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Vectors.Vector;

/** Every message of DyRAM against octets that were written by hand, in both directions; and octets that are no message. */
class VectorsTest {
    private static final long SESSION = 0x0102030405060708L;
    private static final long COOKIE = 0x8000000000000001L;
    private static final byte[] TAG = hex("A0A1A2A3A4A5A6A7A8A9AAABACADAEAF");
    private static final byte[] DIGEST = hex("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F");
    private static final Map<String, Message> MESSAGES = new LinkedHashMap<>();

    static {
        InetSocketAddress group = new InetSocketAddress("239.1.2.3", 5405);
        MESSAGES.put("announce", new Message.Announce(SESSION, 7, 16, true,
                new SessionTerms(group, -100, 256, 1024, 50_000_000, true, 0x1122334455667788L), TAG));
        MESSAGES.put("announce with a choice of services", new Message.Announce(SESSION, 8, 16, false, new SessionTerms(group, -100, 256, 1024, 50_000_000,
                false, 0x1122334455667788L, ServiceChoice.parse("detect@source,aggregate,subcast,elect-hosts@others,repair-timer")), TAG));
        MESSAGES.put("announce with services that are not known yet", new Message.Announce(SESSION, 9, 0, false, new SessionTerms(group, -100, 256,
                1024, 50_000_000, true, 0x1122334455667788L, new ServiceChoice(ServiceSet.ALL, new ServiceSet(0xC0))), TAG));
        MESSAGES.put("listen to one group", new Message.Listen(new InetSocketAddress("ff0e::5405", 5405)));
        MESSAGES.put("listen to all", new Message.Listen(null));
        MESSAGES.put("join", new Message.Join(SESSION, "ens-1", -2, false, true, TAG));
        MESSAGES.put("join by way of a node", new Message.Join(SESSION, "é", -2, true, false, TAG));
        MESSAGES.put("accept", new Message.Accept(SESSION, "ens-1", -2, 65_535, COOKIE, TAG));
        MESSAGES.put("refuse", new Message.Refuse(SESSION, "ens-1", -2, ErrorCode.TOO_LATE, TAG));
        MESSAGES.put("data", new Data(SESSION, -1, false, 0, 0, body(), null));
        MESSAGES.put("repair on its way up", new Data(SESSION, Long.MAX_VALUE, true, 3, COOKIE, body(), null));
        MESSAGES.put("nack", new Message.Nack(SESSION, COOKIE, new Losses(List.of(new Range(-1, 65_535, 255), new Range(5, 1, 0)))));
        MESSAGES.put("request", new Message.Request(SESSION, COOKIE, new Losses(List.of(new Range(Long.MAX_VALUE, 2, 1)))));
        MESSAGES.put("heard", new Message.Heard(SESSION, COOKIE, new Losses(List.of(new Range(Long.MIN_VALUE, 3, 2))), Integer.MAX_VALUE));
        MESSAGES.put("report", new Message.Report(SESSION, COOKIE, -1, 20_000, 6_100, 28, 100, 2_000, 10_000, 100_000_000, 2,
                List.of(new MemberState(2, Phase.COMPLETE, 256), new MemberState(65_535, Phase.LOST, 0))));
        MESSAGES.put("echo", new Message.Echo(SESSION, COOKIE, -1, 6_100, Integer.MAX_VALUE));
        MESSAGES.put("beat", new Message.Beat(SESSION, 9, 64, Integer.MIN_VALUE, false, new byte[0], TAG));
        MESSAGES.put("beat after the last packet", new Message.Beat(SESSION, 10, 156, 0, true, DIGEST, TAG));
        MESSAGES.put("leave", new Message.Leave(SESSION, COOKIE, 3));
        MESSAGES.put("close", new Message.Close(SESSION, null, TAG));
        MESSAGES.put("close before the end", new Message.Close(SESSION, ErrorCode.NO_SESSION, TAG));
        MESSAGES.put("wrong", new Message.Wrong(SESSION, COOKIE, -1, 3));
        MESSAGES.put("rejoin", new Message.Rejoin(SESSION));
        MESSAGES.put("challenge", new Message.Challenge(SESSION, COOKIE));
        MESSAGES.put("answer about no session", new Message.Answer(0, COOKIE));
        MESSAGES.put("have", new Message.Have(SESSION, COOKIE, true, new Held(List.of(new Held.Range(-1, 2), new Held.Range(5, (1L << 40) - 6)))));
        MESSAGES.put("have nothing", new Message.Have(SESSION, COOKIE, false, new Held(List.of())));
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static ByteBuf body() {
        return Unpooled.wrappedBuffer(TAG, new byte[] {'d', 'a', 't', 'a'});
    }

    static List<Vector> good() {
        return Vectors.good();
    }

    static List<Vector> malformed() {
        return Vectors.malformed();
    }

    @Test
    void everyKindOfMessageHasItsVector() {
        assertThat(good()).extracting(Vector::name).containsExactlyElementsOf(MESSAGES.keySet());
        assertThat(MESSAGES.values()).extracting(Message::getClass).containsAll(List.of(Message.class.getPermittedSubclasses()).stream()
                .flatMap(type -> type.isInterface() ? java.util.stream.Stream.of(type.getPermittedSubclasses()) : java.util.stream.Stream.of(type))
                .map(type -> (Class<? extends Message>) type.asSubclass(Message.class)).toList());
    }

    @ParameterizedTest
    @MethodSource("good")
    void isWrittenAsItStands(Vector vector) {
        ByteBuf octets = Codec.encode(MESSAGES.get(vector.name()), UnpooledByteBufAllocator.DEFAULT);

        assertThat(ByteBufUtil.hexDump(octets)).isEqualTo(HexFormat.of().formatHex(vector.octets()));
        octets.release();
    }

    @ParameterizedTest
    @MethodSource("good")
    void isReadAsItStands(Vector vector) {
        Message read = Codec.decode(vector.packet());

        assertThat(read).isInstanceOf(MESSAGES.get(vector.name()).getClass());
        assertThat(read).usingRecursiveComparison().ignoringFields("packet").withEqualsForType(ByteBuf::equals, ByteBuf.class)
                .isEqualTo(MESSAGES.get(vector.name()));
        if (read instanceof Data data) {
            // One with a cookie is not handed on as it is: the cookie is for the reader alone.
            assertThat(data.packet() == null).isEqualTo(data.cookie() != 0);
            assertThat(data.packet() == null || data.packet().equals(Unpooled.wrappedBuffer(vector.octets()))).isTrue();
        }
    }

    /** Every octet of a message is needed, and none more. */
    @ParameterizedTest
    @MethodSource("good")
    void cutShortItIsNoMessageOrAnother(Vector vector) {
        int least = vector.name().equals("data") || vector.name().startsWith("repair") ? 4 : 1;
        for (int less = least; less <= vector.octets().length - 28; less++) {
            byte[] octets = java.util.Arrays.copyOf(vector.octets(), vector.octets().length - less);
            octets[6] = (byte) (octets.length >> 8);
            octets[7] = (byte) octets.length;
            assertThatThrownBy(() -> Codec.decode(Vector.packet(octets))).isInstanceOf(BadMessageException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void isRefused(Vector vector) {
        assertThatThrownBy(() -> Codec.decode(vector.packet())).isInstanceOfSatisfying(BadMessageException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
    }
}
