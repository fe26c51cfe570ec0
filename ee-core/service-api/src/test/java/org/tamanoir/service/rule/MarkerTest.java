package org.tamanoir.service.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** The markers against vectors that were computed with exact fractions, and against the definition in big integers. */
class MarkerTest {
    private static final long CIR = 1_000_000;
    private static final long MS = 1_000_000;

    @Example
    void burstsThenSteadyPackets() {
        assertThat(burstsThenSteady(Marker.of(Meter.singleRate(CIR, 3000, 3000)))).isEqualTo("GGGYYYRRRRGGGGGRGRGRG");
        assertThat(burstsThenSteady(Marker.of(Meter.twoRate(CIR, 3000, 2 * CIR, 5000)))).isEqualTo("GGGYYRRRRRGGGGGYGYGYG");
    }

    private static String burstsThenSteady(Marker marker) {
        StringBuilder colours = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            colours.append(letter(marker.colour(0, 1000, Colour.GREEN)));
        }
        for (int i = 1; i <= 5; i++) {
            colours.append(letter(marker.colour(i * MS, 1000, Colour.GREEN)));
        }
        for (int i = 0; i < 6; i++) {
            colours.append(letter(marker.colour(5 * MS + (i + 1) * MS / 2, 1000, Colour.GREEN)));
        }
        return colours.toString();
    }

    @Example
    void aColourIsNeverMadeBetter() {
        assertThat(coloured(Marker.of(Meter.singleRate(CIR, 3000, 3000)))).isEqualTo("GYRGYRGYRR");
        assertThat(coloured(Marker.of(Meter.twoRate(CIR, 3000, 2 * CIR, 5000)))).isEqualTo("GYRGYRGRRR");
    }

    private static String coloured(Marker marker) {
        StringBuilder colours = new StringBuilder();
        for (char arrived : "GYRGYRGYRG".toCharArray()) {
            colours.append(letter(marker.colour(0, 1000, Colour.of("GYR".indexOf(arrived)))));
        }
        return colours.toString();
    }

    @Example
    void packetsThatMeetTheBoundaryOfABucket() {
        assertThat(every(Marker.of(Meter.singleRate(CIR, 3000, 4500)))).isEqualTo("GGYGYYGRRGRRGRRGRRGR");
        assertThat(every(Marker.of(Meter.twoRate(CIR, 3000, 2 * CIR, 4500)))).isEqualTo("GGYGYYGRYGRYGRYGRYGR");
    }

    private static String every(Marker marker) {
        StringBuilder colours = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            colours.append(letter(marker.colour(i * MS / 2, 1500, Colour.GREEN)));
        }
        return colours.toString();
    }

    @Example
    void packetsOfDifferentSizes() {
        Marker marker = Marker.of(Meter.singleRate(CIR, 3000, 3000));
        long[][] packets = {{0, 3000}, {3, 3000}, {10, 3000}, {10, 3000}, {10, 1}, {20, 3001}};
        StringBuilder colours = new StringBuilder();
        for (long[] packet : packets) {
            colours.append(letter(marker.colour(packet[0] * MS, packet[1], Colour.GREEN)));
        }
        assertThat(colours).hasToString("GGGYRR");
    }

    private static char letter(Colour colour) {
        return "GYR".charAt(colour.ordinal());
    }

    /** RFC 2697 section 3 in numbers that cannot overflow, filled nanosecond by nanosecond in one step. */
    @Property(tries = 300)
    void singleRateIsTheDefinition(@ForAll @LongRange(min = 1, max = Meter.MOST_RATE) long cir,
            @ForAll @IntRange(min = 1) int cbs, @ForAll @IntRange(min = 0) int ebs, @ForAll long seed) {
        Marker marker = Marker.of(Meter.singleRate(cir, cbs, ebs));
        BigInteger nano = BigInteger.valueOf(TokenBucket.NANOS);
        BigInteger mostC = BigInteger.valueOf(cbs).multiply(nano);
        BigInteger mostE = BigInteger.valueOf(ebs).multiply(nano);
        BigInteger c = mostC;
        BigInteger e = mostE;
        Random random = new Random(seed);
        long now = random.nextLong() >> 2;
        marker.colour(now, 0, Colour.RED);
        for (int i = 0; i < 100; i++) {
            long step = Math.abs(random.nextLong()) >>> random.nextInt(63) >>> 2;
            now += step;
            BigInteger more = BigInteger.valueOf(step).multiply(BigInteger.valueOf(cir));
            BigInteger filled = c.add(more).min(mostC);
            e = e.add(more.subtract(filled.subtract(c))).min(mostE);
            c = filled;
            long octets = random.nextInt(65_576);
            BigInteger size = BigInteger.valueOf(octets).multiply(nano);
            Colour arrived = Colour.of(random.nextInt(3));
            Colour want = Colour.RED;
            if (arrived == Colour.GREEN && c.compareTo(size) >= 0) {
                c = c.subtract(size);
                want = Colour.GREEN;
            } else if (arrived != Colour.RED && e.compareTo(size) >= 0) {
                e = e.subtract(size);
                want = Colour.YELLOW;
            }
            assertThat(marker.colour(now, octets, arrived)).isEqualTo(want);
        }
    }

    /** A nanosecond earlier the packet is not green; whoever waits until then neither waits too long nor in vain. */
    @Property(tries = 300)
    void greenAtIsTheFirstNanosecond(@ForAll @LongRange(min = 1, max = Meter.MOST_RATE) long cir,
            @ForAll @LongRange(min = 0, max = 1_000_000) long morePeak, @ForAll @IntRange(min = 65_575) int burst, @ForAll boolean two,
            @ForAll @IntRange(min = 1, max = 65_575) int octets, @ForAll long seed) {
        long pir = Math.min(Meter.MOST_RATE, cir + morePeak);
        Meter meter = two ? Meter.twoRate(cir, burst, pir, burst) : Meter.singleRate(cir, burst, 0);
        long start = new Random(seed).nextLong() >> 2;
        long ready = emptied(meter, start).greenAt(start, octets);
        assertThat(ready).isGreaterThan(start).isLessThanOrEqualTo(start + octets * TokenBucket.NANOS / cir + 1);
        assertThat(emptied(meter, start).colour(ready - 1, octets, Colour.GREEN)).isNotEqualTo(Colour.GREEN);
        assertThat(emptied(meter, start).colour(ready, octets, Colour.GREEN)).isEqualTo(Colour.GREEN);
    }

    private static Marker emptied(Meter meter, long nanos) {
        Marker marker = Marker.of(meter);
        long burst = meter instanceof Meter.TwoRate two ? two.cbs() : ((Meter.SingleRate) meter).cbs();
        assertThat(marker.colour(nanos, burst, Colour.GREEN)).isEqualTo(Colour.GREEN);
        return marker;
    }

    @Example
    void aPacketLargerThanTheBucketIsNeverGreen() {
        assertThat(Marker.of(Meter.singleRate(CIR, 3000, 3000)).greenAt(0, 3001)).isEqualTo(Long.MAX_VALUE);
    }

    /** Whoever could fill a bucket by changing its meter would have a burst for nothing. */
    @Property(tries = 300)
    void aChangeGivesNoTokens(@ForAll long seed) {
        Random random = new Random(seed);
        Marker marker = Marker.of(meter(random));
        long now = 0;
        long green = 0;
        for (int i = 0; i < 200; i++) {
            now += random.nextInt(1_000_000);
            if (random.nextInt(3) == 0) {
                marker = marker.change(now, meter(random));
            }
            int octets = random.nextInt(1500);
            green += marker.colour(now, octets, Colour.GREEN) == Colour.GREEN ? octets : 0;
        }
        assertThat(green).isLessThanOrEqualTo(3000 + now * CIR / TokenBucket.NANOS);
    }

    private static Meter meter(Random random) {
        long cir = 1 + random.nextInt((int) CIR);
        long cbs = 1500 + random.nextInt(1501);
        return random.nextBoolean() ? Meter.singleRate(cir, cbs, random.nextInt(3000)) : Meter.twoRate(cir, cbs, 2 * CIR, 3000);
    }

    @Example
    void aChangeLeavesWhatIsInTheBuckets() {
        Marker marker = Marker.of(Meter.singleRate(CIR, 3000, 3000));
        assertThat(marker.colour(0, 1000, Colour.GREEN)).isEqualTo(Colour.GREEN);
        assertThat(marker.change(0, Meter.singleRate(2 * CIR, 9000, 3000))).isSameAs(marker);
        assertThat(marker.colour(0, 2001, Colour.GREEN)).isEqualTo(Colour.YELLOW);
        assertThat(marker.colour(0, 2000, Colour.GREEN)).isEqualTo(Colour.GREEN);
        assertThat(marker.greenAt(0, 2000)).isEqualTo(MS);
    }
}
