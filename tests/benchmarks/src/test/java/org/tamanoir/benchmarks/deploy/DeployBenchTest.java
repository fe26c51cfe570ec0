package org.tamanoir.benchmarks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class DeployBenchTest {
    @ParameterizedTest
    @CsvSource({"from-repository, cold-jvm, wait, 150, 151", "from-store, cold-jvm, wait, 20, 21", "active, warm-jvm, more-than-without, 1, 1.1"})
    void aTargetIsMissedBeyondItsBound(String from, String jvm, String metric, double good, double bad) {
        Samples holding = new Samples();
        holding.add(DeployBench.key(from, jvm, metric), good);
        assertThat(DeployBench.targets(holding)).filteredOn(Target::holds).hasSize(1);
        Samples missing = new Samples();
        missing.add(DeployBench.key(from, jvm, metric), bad);
        assertThat(DeployBench.targets(missing)).filteredOn(Target::isMissed).hasSize(1);
    }

    @Test
    void whatIsNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(DeployBench.targets(new Samples())).hasSize(3).noneMatch(Target::holds).noneMatch(Target::isMissed);
    }
}
