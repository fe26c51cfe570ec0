package org.tamanoir.paths.advisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.paths.advisor.KernelLimits.Triple;
import org.tamanoir.paths.cost.SeedTables;

class AdviceTest {
    /** As a kernel of today has them. */
    private static final KernelLimits TODAY = new KernelLimits(new Triple(4096, 131_072, 33_554_432), new Triple(4096, 16_384, 4_194_304), 4_194_304, 4_194_304);
    private static final KernelLimits OLD = new KernelLimits(new Triple(4096, 87_380, 174_760), new Triple(4096, 16_384, 131_072), 131_071, 131_071);

    /**
     * Case 13: table 2 of DataGRID, section 9.1.2. For CERN at 1 Gbit/s the paper prints 1.23, which is the other column's value again; it is 2.675.
     */
    @ParameterizedTest
    @MethodSource("org.tamanoir.paths.cost.SeedTables#table2")
    void aWindowIsRoundTripTimesRate(SeedTables.WindowSize line) {
        assertThat(Window.octets(line.roundTrip(), line.mbits()) / 1e6).isCloseTo(line.solved(), within(1e-9));
        assertThat(line.isMisprint()).isEqualTo(line.roundTrip() == 21.4 && line.mbits() == 1000);
        assertThat(Window.octets(100, 1000) / 1e6).isCloseTo(12.5, within(1e-9));
    }

    @Test
    void aWindowLetsThroughWhatThePaperMeasured() {
        assertThat(Window.mbits(21.4, 65_536)).as("about 25 Mbit/s a stream").isCloseTo(24.5, within(0.05));
        assertThat(Window.mbits(100, 4 << 20)).isCloseTo(335.5, within(0.1));
    }

    @Test
    void anOldKernelGetsLinesAndNoLimitFalls() {
        Advice advice = Advice.of(100, 1000, OLD);
        assertThat(advice.lines()).containsExactly("net.core.rmem_max = 25001984", "net.core.wmem_max = 25001984", "net.ipv4.tcp_rmem = 4096 87380 25001984",
                "net.ipv4.tcp_wmem = 4096 65536 25001984");
        assertThat(advice.why()).isEqualTo("1000 Mbit/s at 100 ms are 12.5 MB under way; today's limits let one connection have 5.24 Mbit/s");
        Advice half = Advice.of(100, 1000, TODAY);
        assertThat(half.lines()).as("rmem is large enough and stays").noneMatch(line -> line.contains("tcp_rmem")).contains("net.ipv4.tcp_wmem = 4096 65536 25001984");
        for (KernelLimits today : new KernelLimits[] {OLD, TODAY}) {
            for (double mbits : new double[] {1, 100, 1000, 100_000}) {
                KernelLimits wanted = Advice.of(50, mbits, today).wanted();
                assertThat(wanted.atLeast(today)).isEqualTo(wanted);
            }
        }
    }

    @Test
    void aShortPathSetsTheScriptsValuesAtLeastAndAKernelOfTodayIsSufficient() {
        assertThat(Advice.of(1, 1000, OLD).wanted()).isEqualTo(KernelLimits.DATAGRID);
        Advice sufficient = Advice.of(14.5, 750, TODAY);
        assertThat(sufficient.isSufficient()).isTrue();
        assertThat(sufficient.wanted()).isEqualTo(TODAY);
        assertThat(sufficient.why()).contains("already sufficient for 1160 Mbit/s");
    }

    @Test
    void noLimitIsBeyondTheLargestWindowOfTcp() {
        assertThat(Advice.of(1000, 1e6, OLD).wanted().rmem().most()).isEqualTo(1L << 30);
    }

    @Test
    void limitsAreReadAsTheKernelPrintsThem() {
        assertThat(Triple.parse("4096\t131072\t6291456\n")).isEqualTo(new Triple(4096, 131_072, 6_291_456));
        for (String bad : new String[] {"", "1 2", "1 2 x", "3 2 1", "0 0 0", "1 2 99999999999999999999"}) {
            assertThatThrownBy(() -> Triple.parse(bad)).hasMessageStartingWith("EE-408 ");
        }
    }
}
