package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.stream.Overload.Resource;

/** Who gets no new stream as the node runs out of something. */
class OverloadTest {
    private final Overload overload = new Overload();

    private void descriptors(long open) {
        overload.measure(() -> open, 1000, 0, 0);
    }

    private void heap(double usage) {
        overload.measure(() -> 0, 1000, usage, 0);
    }

    private void assertTaken(boolean strangers, boolean peers) {
        assertThat(isTaken(true)).as("strangers").isEqualTo(strangers);
        assertThat(isTaken(false)).as("peers").isEqualTo(peers);
    }

    private boolean isTaken(boolean stranger) {
        try {
            overload.check(stranger);
            return true;
        } catch (AnepException e) {
            assertThat(e).hasMessageStartingWith("EE-205");
            return false;
        }
    }

    @Test
    void beforeItIsMeasuredNobodyIsRefused() {
        assertTaken(true, true);
        assertThat(overload.problem()).isNull();
    }

    @Test
    void strangersAreRefusedFirstAndThenEverybody() {
        descriptors(799);
        assertTaken(true, true);
        descriptors(801);
        assertTaken(false, true);
        assertThat(overload.problem()).isEqualTo("80 % of descriptors in use: no new streams of strangers");
        descriptors(900);
        assertTaken(false, false);
        assertThat(overload.problem()).isEqualTo("90 % of descriptors in use: no new streams");
        heap(0.95);
        assertTaken(false, false);
        assertThat(overload.problem()).isEqualTo("95 % of heap in use: no new streams");
    }

    @Test
    void usageThatSwingsAroundAThresholdLetsNobodyIn() {
        heap(0.91);
        heap(0.86);
        assertTaken(false, false);
        heap(0.84);
        assertTaken(false, true);
        heap(0.91);
        assertTaken(false, false);
        heap(0.76);
        assertTaken(false, true);
        heap(0.74);
        assertTaken(true, true);
        heap(0.79);
        assertTaken(true, true);
    }

    @Test
    void aBurstBetweenTwoMeasurementsOverrunsNoThreshold() {
        descriptors(700);
        for (int i = 0; i < 100; i++) {
            overload.descriptor(true);
        }
        assertThatThrownBy(() -> overload.descriptor(true)).hasMessageStartingWith("EE-205").hasMessageContaining("short of descriptors");
        for (int i = 0; i < 100; i++) {
            overload.descriptor(false);
        }
        assertThatThrownBy(() -> overload.descriptor(false)).hasMessageStartingWith("EE-205");
    }

    /** Descriptors that were counted and are not there in the end leave a measurement just below the threshold. */
    @Test
    void aBurstThatWasStoppedIsAProblemUntilUsageHasFallen() {
        descriptors(700);
        for (int i = 0; i < 100; i++) {
            overload.descriptor(true);
        }
        assertThatThrownBy(() -> overload.descriptor(true)).hasMessageStartingWith("EE-205");
        descriptors(780);
        assertThat(overload.problem()).isEqualTo("78 % of descriptors in use: no new streams of strangers");
        descriptors(740);
        assertTaken(true, true);
    }

    @Test
    void whatIsTakenDuringAMeasurementIsNotForgotten() {
        descriptors(700);
        for (int i = 0; i < 50; i++) {
            overload.descriptor(true);
        }
        overload.measure(() -> {
            // Not in the count that follows.
            overload.descriptor(true);
            return 798;
        }, 1000, 0, 0);
        overload.descriptor(true);
        assertThatThrownBy(() -> overload.descriptor(true)).hasMessageStartingWith("EE-205");
    }

    @Test
    void aFullStreamTableIsSaidAndRefusesNobodyHere() {
        overload.measure(() -> 0, 1000, 0, 1);
        assertTaken(true, true);
        assertThat(overload.problem()).isEqualTo("100 % of streams in use: no new streams");
        assertThat(overload.usage(Resource.STREAMS)).isEqualTo(1);
    }
}
