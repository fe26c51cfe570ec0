package org.tamanoir.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/**
 * The octets of STAMP, worked out by hand from the figures of RFC 8762 (sections 4.2.1, 4.3.1) and RFC 8972 (sections 3, 4.1, 4.4): not by
 * this program.
 */
class StampTest {
    private static final HexFormat HEX = HexFormat.of();
    /** 2026-01-01T00:00:00.5Z is ed003780.80000000 of NTP. */
    private static final Instant HALF_PAST = Instant.parse("2026-01-01T00:00:00.500Z");
    /** Number 258, that time, synchronised to 200 * 2^(12-32) s, session 0xABCD, 28 zeros. */
    private static final String PROBE = "00000102 ed003780 80000000 8cc8 abcd" + "00".repeat(28);
    /** Class of service: U, type 4, 4 octets; DSCP1 is 46: 101110.. */
    private static final String WANTS_EF = "80040004 b8000000";
    /** Number, time of the answer (not written here), error 1 * 2^(32-32) s, session; arrival 1.25 s later; the sender's; TTL 61. */
    private static final String ANSWER = "00000102 ed003780 80000000 2001 abcd ed003781 c0000000 00000102 ed003780 80000000 8cc8 0000 3d000000";

    @Example
    void aProbeStandsAsTheFiguresHaveIt() {
        byte[] padding = new byte[1500];
        Arrays.fill(padding, (byte) 0x5A);
        ByteBuffer octets = ByteBuffer.allocate(80);
        Stamp.writeProbe(octets, 10, 60, 258, 0x8CC8, 0xABCD, 46, padding);
        octets.putLong(10 + Stamp.TIME, StampTime.ntp(nanos(HALF_PAST)));
        assertThat(hex(octets, 10, 60)).isEqualTo(plain(PROBE + WANTS_EF + "80010004 5a5a5a5a"));
        assertThat(hex(octets, 0, 10) + hex(octets, 70, 10)).as("around it").matches("0+");
        Stamp.writeProbe(octets, 0, 55, 1, 1, 1, 0, padding);
        assertThat(hex(octets, 52, 3)).as("too short for a field").isEqualTo("000000");
    }

    @Example
    void anAnswerStandsAsTheFiguresHaveIt() {
        // EF arrives as AF11 with ECT(0): 0010 1010. DSCP2 001010, ECN 10, RP 00.
        assertThat(answer(PROBE + WANTS_EF + "80010004 5a5a5a5a", 0x2A)).isEqualTo("b8 " + plain(ANSWER + "00040004 b8a80000 00010004 5a5a5a5a"));
        // Without a wish it goes back as it came, without the ECN.
        assertThat(answer(PROBE, 0x2A)).isEqualTo("28 " + plain(ANSWER));
        // TWAMP Light with 27 octets of padding: 41 octets, as many as came.
        assertThat(answer(PROBE.substring(0, PROBE.length() - 6), 0)).isEqualTo("00 " + plain(ANSWER).substring(0, 82));
        // Zeros behind it are padding, not fields.
        assertThat(answer(PROBE + "0000000000 07", 0)).isEqualTo("00 " + plain(ANSWER + "0000000000 07"));
    }

    @Example
    void fieldsThatMakeNoSenseAreMarkedAndGoBack() {
        assertThat(answer(PROBE + "80 08 0002 1234" + WANTS_EF, 0)).as("HMAC is not understood, what follows is")
                .isEqualTo("b8 " + plain(ANSWER + "80 08 0002 1234 00040004 b8000000"));
        assertThat(answer(PROBE + "80 04 0003 b80000", 0)).as("a class of service of three octets").endsWith("4004" + "0003b80000");
        assertThat(answer(PROBE + "80 01 0009 aabbccdd", 0)).as("longer than the packet").endsWith("4001" + "0009aabbccdd");
        assertThat(answer(PROBE + WANTS_EF, -1)).as("the code point cannot be read").startsWith("b8 ").endsWith("80040004b8000000");
    }

    @Example
    void whatIsNoProbeHasNoAnswer() {
        assertThat(answer(PROBE.substring(0, PROBE.length() - 8), 0)).as("40 octets").isEqualTo("-1");
        assertThat(answer("", 0)).isEqualTo("-1");
        // What two reflectors would send each other for ever.
        assertThat(answer(ANSWER, 0)).isEqualTo("-2");
    }

    @Example
    void aSenderReadsTheCodePointThatArrived() {
        assertThat(arrived(ANSWER + "00040004 b8a80000")).isEqualTo(10);
        assertThat(arrived(ANSWER + "80040004 b8a80000")).as("not understood").isEqualTo(-1);
        assertThat(arrived(ANSWER + "40040004 b8a80000")).as("malformed").isEqualTo(-1);
        assertThat(arrived(ANSWER + "00050004 b8a80000")).as("another field").isEqualTo(-1);
        assertThat(arrived(ANSWER)).isEqualTo(-1);
    }

    @Example
    void bothFormsOfTimeAndTheEndOfAnEra() {
        assertThat(StampTime.ntp(nanos(HALF_PAST))).isEqualTo(0xed00378080000000L);
        assertThat(StampTime.of(0xed00378080000000L, false)).isEqualTo(nanos(HALF_PAST));
        assertThat(StampTime.of(0x6955b9001DCD6500L, true)).as("PTP: seconds since 1970, 500,000,000 ns").isEqualTo(nanos(HALF_PAST));
        assertThat(StampTime.ofNtp(0)).as("2036-02-07T06:28:16Z").isEqualTo(2_085_978_496L * 1_000_000_000L);
    }

    @Property
    void timesSurviveTheirForm(@ForAll @LongRange(min = 0, max = 4_000_000_000L * 1_000_000_000L) long nanos) {
        assertThat(StampTime.ofNtp(StampTime.ntp(nanos))).isEqualTo(nanos);
    }

    @Property
    void anErrorIsNeverMadeSmallerAndAtMostAHundredthLarger(@ForAll @LongRange(min = 0, max = 1L << 50) long nanos) {
        int estimate = ErrorEstimate.of(true, nanos);
        assertThat(ErrorEstimate.nanos(estimate)).isBetween(nanos, nanos + nanos / 100 + 1);
        assertThat(ErrorEstimate.synchronised(estimate)).isTrue();
        assertThat(ErrorEstimate.ptp(estimate)).isFalse();
        assertThat(ErrorEstimate.synchronised(estimate & 0xFF00)).as("a multiplier of 0 says nothing").isFalse();
        assertThat(ErrorEstimate.nanos(0x8cc8)).isEqualTo(190_735);
    }

    /** Whatever stands in a datagram: nothing outside is touched, the answer has its size and is not answered again. */
    @Property(tries = 20_000)
    void anyOctets(@ForAll @Size(max = 120) byte[] octets, @ForAll @IntRange(min = -1, max = 255) int tos) {
        ByteBuffer room = ByteBuffer.allocate(octets.length + 32);
        Arrays.fill(room.array(), (byte) 0x77);
        room.put(16, octets);
        int answer = StampReply.answer(room, 16, octets.length, tos, 7, nanos(HALF_PAST), 1);
        assertThat(hex(room, 0, 16) + hex(room, 16 + octets.length, 16)).isEqualTo("77".repeat(32));
        if (answer < 0) {
            assertThat(HEX.formatHex(room.array(), 16, 16 + octets.length)).isEqualTo(HEX.formatHex(octets));
        } else {
            assertThat(octets.length).isGreaterThanOrEqualTo(41);
            assertThat(answer & 3).as("ECN").isZero();
            room.putLong(16 + Stamp.TIME, StampTime.ntp(nanos(HALF_PAST) + 1_000_000));
            assertThat(StampReply.answer(room, 16, octets.length, tos, 7, nanos(HALF_PAST), 1)).isEqualTo(StampReply.AN_ANSWER);
            assertThat(Stamp.arrivedDscp(room, 16, octets.length)).isBetween(-1, 63);
        }
    }

    /** The same for datagrams that begin as a probe does and go on with fields. */
    @Property(tries = 20_000)
    void anyFields(@ForAll @Size(max = 80) byte[] fields, @ForAll @IntRange(min = 0, max = 8) int type, @ForAll @IntRange(min = 0, max = 6) int length,
            @ForAll @IntRange(min = -1, max = 255) int tos) {
        byte[] probe = HEX.parseHex(plain(PROBE));
        byte[] octets = Arrays.copyOf(probe, probe.length + 4 + fields.length);
        octets[probe.length + 1] = (byte) type;
        octets[probe.length + 3] = (byte) length;
        System.arraycopy(fields, 0, octets, probe.length + 4, fields.length);
        anyOctets(octets, tos);
    }

    private static String answer(String probe, int tos) {
        byte[] octets = HEX.parseHex(plain(probe));
        ByteBuffer packet = ByteBuffer.wrap(octets);
        int answer = StampReply.answer(packet, 0, octets.length, tos, 61, nanos(HALF_PAST) + 1_250_000_000L, 0x2001);
        return answer < 0 ? Integer.toString(answer) : HEX.toHexDigits((byte) answer) + " " + HEX.formatHex(octets);
    }

    private static int arrived(String answer) {
        byte[] octets = HEX.parseHex(plain(answer));
        return Stamp.arrivedDscp(ByteBuffer.wrap(octets), 0, octets.length);
    }

    private static String hex(ByteBuffer octets, int from, int length) {
        return HEX.formatHex(octets.array(), from, from + length);
    }

    private static String plain(String hex) {
        return hex.replace(" ", "");
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000L + time.getNano();
    }
}
