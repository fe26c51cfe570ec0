package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times in milliseconds, from a clock that is as old as the stamps' 32 bits allow and older. */
class RoundTripTest {
    private static final long MS = 1_000_000;
    private final RoundTrip trip = new RoundTrip();

    private void echo(long sentAt, long after) {
        trip.echoed((sentAt + after) * MS, new Message.Echo(1, 2, trip.stamp(sentAt * MS), 3_000, 40_000));
    }

    @Test
    void beforeAnythingIsMeasuredItIsFiftyMilliseconds() {
        assertThat(trip.measured()).isZero();
        assertThat(trip.rtt()).isEqualTo(50 * MS);
        assertThat(trip.local()).isEqualTo(50 * MS);
        assertThat(trip.remote()).isEqualTo(50 * MS);
    }

    /** RFC 6298 section 2: the first is taken as it is with half of it as variation, later ones by an eighth and a quarter. */
    @Test
    void itIsSmoothed() {
        echo(1_000, 80);
        assertThat(trip.measured()).isEqualTo(80 * MS);
        assertThat(trip.rtt()).isEqualTo((80 + 4 * 40) * MS);
        assertThat(trip.local()).isEqualTo(3 * MS);
        assertThat(trip.remote()).isEqualTo(40 * MS);
        echo(2_000, 160);
        assertThat(trip.measured()).isEqualTo(90 * MS);
        assertThat(trip.rtt()).isEqualTo((90 + 4 * 50) * MS);
    }

    @Test
    void aSteadyPathIsGivenAQuarterMore() {
        for (int i = 1; i < 100; i++) {
            echo(i * 1_000, 80);
        }
        assertThat(trip.rtt()).isEqualTo(100 * MS);
    }

    @Test
    void whatIsOldOrFromTheFutureSaysNothing() {
        echo(20_000, 10_001);
        echo(20_000, -1);
        assertThat(trip.measured()).isZero();
        echo(20_000, 10_000);
        assertThat(trip.measured()).isEqualTo(10_000 * MS);
    }

    @Test
    void stampsMayGoRound() {
        echo((1L << 32) / 1_000 - 10, 30);
        assertThat(trip.measured()).isEqualTo(30 * MS);
        trip.echoed(0, new Message.Echo(1, 2, 0, Integer.MAX_VALUE, Integer.MAX_VALUE));
        assertThat(trip.measured()).as("at least a microsecond").isBetween(26 * MS, 27 * MS);
        assertThat(trip.local()).as("what a neighbour says is bounded").isEqualTo(10_000 * MS);
        assertThat(trip.remote()).isEqualTo(10_000 * MS);
    }
}
