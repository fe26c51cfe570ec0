package org.tamanoir.node.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.tamanoir.paths.verdict.TcpState;

class LegSampleTest {
    private static final int SECOND = 1_000_000;
    private static final TcpState NOTHING = new Said().state();

    /** What a kernel says, at the places of {@code struct tcp_info}. */
    private static final class Said {
        private final ByteBuffer octets = ByteBuffer.allocate(TcpState.MOST_OCTETS).order(ByteOrder.LITTLE_ENDIAN);

        Said acked(long value) {
            octets.putLong(120, value).putLong(200, value);
            return this;
        }

        Said busy(long micros) {
            octets.putLong(168, micros);
            return this;
        }

        Said windowShut(long micros) {
            octets.putLong(176, micros);
            return this;
        }

        Said bufferFull(long micros) {
            octets.putLong(184, micros);
            return this;
        }

        Said resent(long value) {
            octets.putLong(208, value);
            return this;
        }

        Said trips(int last, int shortest) {
            octets.putInt(68, last).putInt(148, shortest);
            return this;
        }

        Said isIdle() {
            octets.put(7, (byte) 1);
            return this;
        }

        TcpState state() {
            return TcpState.decode(octets.array(), ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static Said busy() {
        return new Said().acked(1_000_000).busy(SECOND);
    }

    private static LegSample of(Said last) {
        return LegSample.of(NOTHING, last.state(), 0, SECOND);
    }

    @Test
    void itIsWhatWasAcknowledgedWhileDataWereUnderWay() {
        assertThat(of(busy().resent(20_000).trips(30_000, 10_000))).isEqualTo(new LegSample(8e6, 0.02, 3, true));
        assertThat(LegSample.of(busy().state(), busy().acked(3_000_000).busy(2 * SECOND).state(), 0, SECOND).rate()).as("since the first look").isEqualTo(16e6);
    }

    @Test
    void aTripThatIsNotKnownIsNone() {
        assertThat(of(busy()).trip()).isZero();
        assertThat(of(busy().trips(9_999, 10_000)).trip()).isEqualTo(1);
    }

    @Test
    void whatCarriesLittleForAShortTimeSaysNothing() {
        assertThat(of(new Said().acked(LegSample.LEAST_OCTETS - 1).busy(SECOND))).isNull();
        assertThat(of(new Said().acked(LegSample.LEAST_OCTETS).busy(SECOND))).isNotNull();
        assertThat(of(new Said().acked(1_000).busy(LegSample.LONG_MICROS))).as("it was at it for long").isNotNull();
        assertThat(of(new Said().acked(1_000_000).busy(LegSample.LEAST_MICROS - 1))).as("no rate can be told").isNull();
    }

    @Test
    void aReceiverThatIsTheLimitSaysNothingOfThePath() {
        assertThat(of(busy().windowShut(SECOND / 2))).isNotNull();
        assertThat(of(busy().windowShut(SECOND / 2 + 1))).isNull();
    }

    @Test
    void aLegThatCarriesAllThatThereIsIsNotFull() {
        assertThat(of(busy().isIdle()).full()).isFalse();
        assertThat(of(busy().isIdle().bufferFull(SECOND / 5)).full()).isFalse();
        assertThat(of(busy().isIdle().bufferFull(SECOND / 5 + 1)).full()).as("its buffer is too small").isTrue();
        assertThat(LegSample.of(NOTHING, busy().isIdle().state(), SECOND / 5, SECOND).full()).isFalse();
        assertThat(LegSample.of(NOTHING, busy().isIdle().state(), SECOND / 5 + 1, SECOND).full()).as("the node had more for it").isTrue();
    }
}
