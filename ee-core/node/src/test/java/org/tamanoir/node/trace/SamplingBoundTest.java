package org.tamanoir.node.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.TraceContext;
import org.tamanoir.node.trace.TraceSettings.Follow;

/** No clock and no chance: both are given. */
class SamplingBoundTest {
    private static final TraceContext FLAGGED = new TraceContext(1, 2, 3, TraceContext.SAMPLED);
    private static final TraceContext PLAIN = new TraceContext(1, 2, 3, 0);
    private static final double LUCK = 0;
    private static final double NO_LUCK = 0.5;

    private final SamplingBound bound = new SamplingBound();
    private long now = 1_000;

    private static TraceSettings settings(Follow follow, int perSecond) {
        return new TraceSettings("http://127.0.0.1:4318", 0.01, perSecond, follow, "node");
    }

    private int taken(int asked, TraceContext given, boolean believed, double drawn, TraceSettings settings) {
        int taken = 0;
        for (int i = 0; i < asked; i++) {
            taken += bound.takes(now, given, believed, settings, drawn) ? 1 : 0;
        }
        return taken;
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void streamsWithoutATraceAreDrawnInsideTheBound() {
        TraceSettings settings = settings(Follow.ALL, 10);
        assertThat(taken(1000, null, false, 0.01, settings)).as("the ratio itself is too much").isZero();
        assertThat(taken(1000, null, false, LUCK, settings)).isEqualTo(10);
        pass(500);
        assertThat(taken(1000, null, false, LUCK, settings)).isEqualTo(5);
        pass(3_600_000);
        assertThat(taken(1000, null, false, LUCK, settings)).as("nothing is saved up beyond a second").isEqualTo(10);
    }

    @Test
    void flagsOfStrangersDoNotRaiseTheBoundAndLeaveHalfOfItToOthers() {
        TraceSettings settings = settings(Follow.ALL, 10);
        assertThat(taken(1000, FLAGGED, false, NO_LUCK, settings)).isEqualTo(5);
        assertThat(taken(1000, FLAGGED, true, NO_LUCK, settings)).as("a peer's").isEqualTo(5);
        for (int i = 0; i < 100; i++) {
            pass(10);
            taken(100, FLAGGED, false, NO_LUCK, settings);
        }
        assertThat(taken(1000, null, false, LUCK, settings)).as("what the node draws itself").isEqualTo(5);
    }

    @Test
    void aBoundOfOneIsForEverybody() {
        assertThat(taken(1000, FLAGGED, false, NO_LUCK, settings(Follow.ALL, 1))).isEqualTo(1);
    }

    @Test
    void whoeverDoesNotRecordIsFollowedToo() {
        assertThat(taken(1000, PLAIN, false, LUCK, settings(Follow.ALL, 10))).isZero();
    }

    @Test
    void aFlagThatDoesNotCountIsDrawnForAsIfThereWereNone() {
        for (TraceContext given : new TraceContext[] {FLAGGED, PLAIN}) {
            SamplingBoundTest peers = new SamplingBoundTest();
            assertThat(peers.taken(1000, given, false, NO_LUCK, settings(Follow.PEERS, 10))).isZero();
            assertThat(peers.taken(1000, given, false, LUCK, settings(Follow.PEERS, 10))).isEqualTo(10);
            SamplingBoundTest none = new SamplingBoundTest();
            assertThat(none.taken(1000, given, true, NO_LUCK, settings(Follow.NONE, 10))).isZero();
            assertThat(none.taken(1000, given, true, LUCK, settings(Follow.NONE, 10))).isEqualTo(10);
        }
        assertThat(new SamplingBoundTest().taken(1000, FLAGGED, true, NO_LUCK, settings(Follow.PEERS, 10))).isEqualTo(10);
    }

    @Test
    void anotherBoundHoldsAtOnce() {
        assertThat(taken(1000, null, false, LUCK, settings(Follow.ALL, 1000))).isEqualTo(1000);
        assertThat(taken(1000, null, false, LUCK, settings(Follow.ALL, 2))).isZero();
        pass(1000);
        assertThat(taken(1000, null, false, LUCK, settings(Follow.ALL, 2))).isEqualTo(2);
    }
}
