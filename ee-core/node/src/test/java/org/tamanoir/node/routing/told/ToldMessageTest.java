package org.tamanoir.node.routing.told;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.node.routing.told.ToldMessage.Kind;
import org.tamanoir.service.rule.Prefix;

/** The octets of {@code docs/anep.md}, written by hand. */
class ToldMessageTest {
    private static final String HEAD = "0000000000001111" + "0000000000002222" + "0000000000003333" + "0000000000000007" + "0000000000000005";
    private static final String HELLO = "0000000000000000" + HEAD;
    private static final String SITE = "0410" + "0003" + "0000018bcfe56800" + "0a010000";
    private static final String LOST = "0630" + "ffff" + "0000000000000009" + "20010db8000100000000000000000000";
    private static final String ASKED = "8418" + "ffff" + "000000000000000a" + "c0000200";
    private static final String TOLD = "0100000000000003" + HEAD + SITE + LOST + ASKED;

    private static ToldMessage read(String hex) throws MalformedPacketException {
        byte[] octets = ByteBufUtil.decodeHexDump(hex);
        ByteBuf in = Unpooled.buffer().writeByte(99).writeBytes(octets);
        return ToldMessage.read(in, 1, octets.length);
    }

    private static String written(ToldMessage message) {
        ByteBuf out = Unpooled.buffer();
        message.write(out);
        assertThat(message.size()).isEqualTo(out.readableBytes());
        return ByteBufUtil.hexDump(out);
    }

    @Test
    void isReadAndWrittenAsItStands() throws MalformedPacketException {
        ToldMessage hello = new ToldMessage(Kind.HELLO, 0x1111, 0x2222, 0x3333, 7, 5, List.of(), List.of());
        assertThat(read(HELLO)).isEqualTo(hello);
        assertThat(written(hello)).isEqualTo(HELLO);
        ToldMessage told = new ToldMessage(Kind.TOLD, 0x1111, 0x2222, 0x3333, 7, 5,
                List.of(new ToldPrefix(Prefix.parse("10.1.0.0/16"), 1_700_000_000_000L, 3), new ToldPrefix(Prefix.parse("2001:db8:1::/48"), 9, ToldPrefix.UNREACHABLE)),
                List.of(new ToldPrefix(Prefix.parse("192.0.2.0/24"), 10, ToldPrefix.UNREACHABLE)));
        assertThat(read(TOLD)).isEqualTo(told);
        assertThat(written(told)).isEqualTo(TOLD);
        assertThat(read("02" + HELLO.substring(2)).kind()).isEqualTo(Kind.ANEW);
        assertThat(read("00ffffffffff0000" + HEAD)).as("reserved octets are not read").isEqualTo(hello);
    }

    @Test
    void theLargestFitsTheSmallestMtuOfIpv6() {
        List<ToldPrefix> many = Collections.nCopies(ToldMessage.MOST_PREFIXES, new ToldPrefix(Prefix.parse("fd00::/8"), 1, 1));
        // IPv6 and UDP: 48 octets; ANEP's header and option: 12.
        assertThat(new ToldMessage(Kind.TOLD, 1, 1, 1, 1, 1, many, List.of()).size() + 12 + 48).isLessThanOrEqualTo(1280);
    }

    @ParameterizedTest
    @CsvSource({
        "no kind,            0300000000000000",
        "a hello with some,  0000000000000001",
        "fewer than said,    0100000000000002",
        "more than said,     0100000000000000",
        "a huge count,       010000000000ffff",
        "one more than fits, 0100000000000029"})
    void aWrongBeginningIsRefused(String what, String begin) {
        refused(begin + HEAD + SITE);
    }

    @ParameterizedTest
    @CsvSource({
        "a family that is none,     05100003000000000000000a0a010000",
        "bits beyond an address,    04210003000000000000000a0a010000",
        "255 bits,                  04ff0003000000000000000a0a010000",
        "bits behind the length,    04100003000000000000000a0a010001",
        "a negative sequence,       04100003800000000000000a0a010000",
        "one asked for with metric, 84100003000000000000000a0a010000",
        "IPv6 cut short,            06100003000000000000000a0a010000",
        "IPv4 within IPv6,          06800003000000000000000a00000000000000000000ffff0a010000"})
    void aWrongPrefixIsRefused(String what, String prefix) {
        refused("0100000000000001" + HEAD + prefix);
    }

    @Test
    void aWrongHeadIsRefused() {
        String begin = "0000000000000000";
        refused(begin + HEAD.replace("0000000000001111", "0000000000000000"));
        refused(begin + HEAD.replace("0000000000002222", "0000000000000000"));
        refused(begin + HEAD.replace("0000000000000007", "0000000000000000"));
        refused(begin + HEAD.replace("0000000000000007", "8000000000000000"));
        refused(begin + HEAD.replace("0000000000000005", "8000000000000000"));
        for (int length = 0; length < TOLD.length(); length += 2) {
            refused(TOLD.substring(0, length));
        }
    }

    private static void refused(String hex) {
        assertThatThrownBy(() -> read(hex)).as(hex).isInstanceOfSatisfying(MalformedPacketException.class,
                refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE));
    }

    @Property
    void anyOctetsAreRefusedOrWrittenAsTheyWereRead(@ForAll @Size(max = 200) byte[] tail, @ForAll byte kind, @ForAll byte count) {
        ByteBuf in = Unpooled.buffer().writeByte(kind & 3).writeZero(6).writeByte(count & 7).writeBytes(ByteBufUtil.decodeHexDump(HEAD)).writeBytes(tail);
        try {
            assertThat(written(ToldMessage.read(in, 0, in.readableBytes()))).hasSize(2 * in.readableBytes());
        } catch (MalformedPacketException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION_VALUE);
        }
    }
}
