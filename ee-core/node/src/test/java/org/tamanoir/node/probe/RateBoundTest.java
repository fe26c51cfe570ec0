package org.tamanoir.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import net.jqwik.api.Example;

/** How many are let through, by a clock that the test moves. */
class RateBoundTest {
    private static final long SECOND = 1_000_000_000L;
    /** 10.0.0.1 in 16 octets, as the halves of a datagram have it. */
    private static final long HOST = 0x0100_000A_FFFF_0000L;

    @Example
    void oneSourceGetsAQuarterAndTheOthersTheirs() {
        RateBound bound = new RateBound(1000, 1, 0);
        assertThat(admitted(bound, HOST, 5000, 0)).as("the bucket").isEqualTo(250);
        assertThat(admitted(bound, HOST, 5000, SECOND)).as("each second").isEqualTo(250);
        assertThat(admitted(bound, HOST + 1, 200, SECOND)).as("another source").isEqualTo(200);
    }

    @Example
    void manySourcesTogetherGetTheRate() {
        RateBound bound = new RateBound(1000, 1, 0);
        SplittableRandom random = new SplittableRandom(6);
        int admitted = 0;
        for (long now = 0; now < 10 * SECOND; now += SECOND / 20_000) {
            admitted += bound.admits(random.nextLong(), random.nextLong(), now) ? 1 : 0;
        }
        assertThat(admitted).as("ten seconds and a bucket").isBetween(10_990, 11_000);
    }

    @Example
    void hostsOfOneIpv6NetworkAreOneSource() {
        RateBound bound = new RateBound(1000, 1, 0);
        int admitted = 0;
        for (int i = 0; i < 1000; i++) {
            admitted += bound.admits(0xfdL, i, 0) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(250);
    }

    @Example
    void theLeastRateAdmitsOneEachSecond() {
        RateBound bound = new RateBound(1, 1, 0);
        assertThat(admitted(bound, HOST, 10, 0)).isEqualTo(1);
        assertThat(admitted(bound, HOST, 10, SECOND - 1)).isZero();
        assertThat(admitted(bound, HOST, 10, SECOND)).isEqualTo(1);
        assertThat(admitted(bound, HOST, 10, 1_000_000 * SECOND)).as("after a long time, no more than a bucket").isEqualTo(1);
    }

    private static int admitted(RateBound bound, long host, int asked, long now) {
        int admitted = 0;
        for (int i = 0; i < asked; i++) {
            admitted += bound.admits(0, host, now) ? 1 : 0;
        }
        return admitted;
    }
}
