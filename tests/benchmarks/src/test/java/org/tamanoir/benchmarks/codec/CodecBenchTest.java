package org.tamanoir.benchmarks.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Target;

class CodecBenchTest {
    private static Row row(String what, int packet, double octets) {
        return new Row(what, "tamanoir", packet, 0, "allocation", octets, "octets/packet", 3, octets, octets);
    }

    @Test
    void aPacketThatCostsHeapMissesTheTarget() {
        assertThat(CodecBench.targets(List.of(row("framing-next", 256, 0.001), row("framing-next", 1400, 0.5), row("options-read", 0, 400))))
                .singleElement().matches(Target::holds);
        assertThat(CodecBench.targets(List.of(row("framing-next", 256, 0.51), row("framing-next", 1400, 0.001)))).singleElement().matches(Target::isMissed);
    }

    @Test
    void whatWasNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(CodecBench.targets(List.of(row("options-read", 0, 400)))).singleElement().matches(target -> !target.holds() && !target.isMissed());
    }
}
