package org.tamanoir.fleet.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.fleet.simulation.LargeFleet.Outage;
import org.tamanoir.fleet.simulation.LargeFleet.Spread;

/** What docs/fleet.md says of 1,000 nodes. */
@Tag("seeded")
class LargeFleetTest {
    private static final long TEN_MINUTES = 600_000;

    @ParameterizedTest
    @ValueSource(longs = 1)
    @Tag("long")
    void anOutageOfTenMinutesEndsWithoutACrowdAndARevocationIsInForceWithinTenSeconds(long seed) {
        LargeFleet fleet = new LargeFleet(seed, true);
        Outage outage = fleet.outage(TEN_MINUTES);
        Spread revoked = fleet.revoke();
        Spread released = fleet.release(1, false);
        Spread atOnce = fleet.release(2, true);
        System.out.println("seed " + seed + ": " + outage + ", revoked " + revoked + ", by rings " + released + ", at once " + atOnce);
        assertThat(outage.steady()).isBetween(240.0, 300.0);
        assertThat(outage.peak()).isLessThan((int) (2 * outage.steady()));
        assertThat(outage.crowd()).as("seconds with a crowd").isLessThan(10);
        assertThat(outage.back()).as("the longest pause, a question and a report").isLessThan(45_000);
        assertThat(revoked.p99()).isLessThan(10_000);
        assertThat(released.all()).as("two soaks of 60 s, and three times until all of a ring have asked and reported").isBetween(120_000L, 150_000L);
        assertThat(atOnce.all()).isLessThan(10_000);
    }

    /** Or the test above would hold of anything. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(longs = 1)
    void withoutJitterTheyAllComeAtOnce(long seed) {
        Outage outage = new LargeFleet(seed, false).outage(TEN_MINUTES);
        System.out.println("seed " + seed + ", without jitter: " + outage);
        assertThat(outage.peak()).isGreaterThanOrEqualTo(LargeFleet.NODES);
    }
}
