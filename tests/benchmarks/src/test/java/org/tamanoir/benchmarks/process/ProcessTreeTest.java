package org.tamanoir.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.LabProcess;

class ProcessTreeTest {
    @Test
    @Tag("long")
    void timeAndMemoryOfChildrenCount() {
        // The shell itself only waits; its child counts to two million and then sleeps.
        String child = "i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done; echo done; sleep 60";
        try (LabProcess shell = LabProcess.start("shell", List.of("sh", "-c", "sh -c '" + child + "'; true"))) {
            shell.awaitLine("done", Duration.ofSeconds(60));
            ProcessTree tree = new ProcessTree(shell.pid());
            assertThat(tree.cpuSeconds()).isBetween(0.2, 60.0);
            assertThat(tree.resident()).isBetween(1_000_000L, 50_000_000L);
            tree.resetPeak();
            assertThat(tree.peak()).isBetween(tree.resident() / 2, tree.resident() * 2);
            ProcessHandle.of(shell.pid()).orElseThrow().descendants().forEach(ProcessHandle::destroy);
        }
    }

    @Test
    void aProcessThatIsGoneCostsNothing() {
        LabProcess process = LabProcess.start("true", List.of("true"));
        process.awaitExit(Duration.ofSeconds(10));
        ProcessTree tree = new ProcessTree(process.pid());
        assertThat(tree.cpuSeconds()).isZero();
        assertThat(tree.peak()).isZero();
        tree.resetPeak();
    }
}
