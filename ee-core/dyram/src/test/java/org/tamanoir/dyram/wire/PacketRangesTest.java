package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ranges of packets against sets of bits, and their way through messages. */
class PacketRangesTest {
    private static final int SIZE = 200;
    private static final SessionTerms TERMS = new SessionTerms(new InetSocketAddress("239.1.2.3", 5405), -100, SIZE, 1_000, 1, false, 0);

    private static PacketRanges of(BitSet bits) {
        PacketRanges.Builder ranges = new PacketRanges.Builder();
        for (int first = bits.nextSetBit(0); first >= 0; first = bits.nextSetBit(first)) {
            int end = bits.nextClearBit(first);
            ranges.add(first, end);
            first = end;
        }
        return ranges.build();
    }

    private static BitSet draw(SplittableRandom random) {
        BitSet bits = new BitSet();
        for (int i = random.nextInt(12); i > 0; i--) {
            int first = random.nextInt(SIZE);
            bits.set(first, Math.min(SIZE, first + random.nextInt(60)));
        }
        return bits;
    }

    @Test
    @Tag("seeded")
    void theyAreSetsOfPackets() {
        for (long seed = 0; seed < 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            BitSet one = draw(random);
            BitSet other = draw(random);
            BitSet both = (BitSet) one.clone();
            both.and(other);
            BitSet either = (BitSet) one.clone();
            either.or(other);
            int from = random.nextInt(SIZE);
            BitSet later = (BitSet) one.clone();
            later.clear(0, from);

            assertThat(of(one).and(of(other))).as("seed %d", seed).isEqualTo(of(both));
            assertThat(of(one).or(of(other))).as("seed %d", seed).isEqualTo(of(either));
            assertThat(of(one).from(from)).as("seed %d", seed).isEqualTo(of(later));
            assertThat(of(one).packets()).isEqualTo(one.cardinality());
            for (int i = 0; i < SIZE; i++) {
                assertThat(of(one).contains(i)).as("seed %d, packet %d", seed, i).isEqualTo(one.get(i));
            }
        }
    }

    @Test
    void moreThanAMessageHoldsTravelsInParts() {
        PacketRanges.Builder builder = new PacketRanges.Builder();
        for (int i = 0; i < 2 * Held.MOST + 2; i += 2) {
            builder.add(i, i + 1);
        }
        PacketRanges all = builder.build();

        List<Held> parts = Held.of(TERMS, all);

        assertThat(parts).extracting(part -> part.ranges().size()).containsExactly(Held.MOST, 1);
        assertThat(parts.get(0).in(TERMS).or(parts.get(1).in(TERMS))).isEqualTo(all);
        assertThat(Held.of(TERMS, PacketRanges.NONE)).containsExactly(new Held(List.of()));
    }

    @Test
    void whatIsNotOfTheSessionIsNothing() {
        assertThat(new Held(List.of(new Held.Range(-100, SIZE))).in(TERMS)).isEqualTo(PacketRanges.of(0, SIZE));
        assertThat(new Held(List.of(new Held.Range(-101, 1))).in(TERMS)).isNull();
        assertThat(new Held(List.of(new Held.Range(-100, SIZE + 1))).in(TERMS)).isNull();
        assertThat(new Held(List.of(new Held.Range(0, 1), new Held.Range(100, 1))).in(TERMS)).isNull();
        assertThatThrownBy(() -> new Held(List.of(new Held.Range(5, 2), new Held.Range(6, 1)))).isInstanceOf(IllegalArgumentException.class);
    }
}
