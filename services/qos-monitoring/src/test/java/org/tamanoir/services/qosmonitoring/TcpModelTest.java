package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.tamanoir.services.qosmonitoring.MeasuredClass.TcpModel;

class TcpModelTest {
    @Test
    void littleLossIsMathis() {
        // 1460 octets * 8 * 1.22 / (100 ms * sqrt(0.0001)) = 14.2496 Mb/s
        assertThat(TcpModel.mbps(100, 1e-4)).isCloseTo(14.2496, within(1e-4));
        assertThat(TcpModel.mbps(50, 1e-4)).as("half the round trip").isCloseTo(2 * 14.2496, within(1e-3));
        assertThat(TcpModel.mbps(100, 4e-4)).as("four times the loss").isCloseTo(14.2496 / 2, within(1e-4));
    }

    @Test
    void muchLossIsTheEquationOfRfc5348() {
        // s / (R sqrt(2p/3) + t_RTO (3 sqrt(3p/8)) p (1 + 32 p^2)) with R = 24 ms, p = 0.08, t_RTO = 200 ms
        double seconds = 0.024 * 0.2309401 + 0.2 * 3 * 0.1732051 * 0.08 * 1.2048;
        assertThat(TcpModel.mbps(24, 0.08)).isCloseTo(1460 * 8 / seconds / 1e6, within(1e-4));
        assertThat(TcpModel.mbps(24, 0.08)).as("1.02 Mb/s was measured with this delay and loss").isBetween(0.5, 2.0);
    }

    @Test
    void moreLossOrDelayIsNeverMoreThroughput() {
        for (double rtt = 0.01; rtt < 1_000; rtt *= 3) {
            double before = Double.MAX_VALUE;
            for (double loss = 1e-6; loss <= 1; loss *= 1.1) {
                double mbps = TcpModel.mbps(rtt, loss);
                assertThat(mbps).isPositive().isLessThanOrEqualTo(before).isGreaterThanOrEqualTo(TcpModel.mbps(rtt * 1.01, loss));
                before = mbps;
            }
        }
    }
}
