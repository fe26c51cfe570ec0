package org.tamanoir.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.cli.doctor.Finding.State;

class MachineChecksTest {
    /** Wrong: a limit that is blamed where the kernel does not look at it, and one that is not where it does. */
    @Test
    void lockedMemoryMattersToOlderKernelsAlone() {
        assertThat(MachineChecks.lockedMemory(8 << 20, "6.1.0-35-amd64").state()).isEqualTo(State.OK);
        assertThat(MachineChecks.lockedMemory(8 << 20, "5.11.0").state()).isEqualTo(State.OK);
        assertThat(MachineChecks.lockedMemory(8 << 20, "unknown").state()).isEqualTo(State.OK);
        Finding old = MachineChecks.lockedMemory(8 << 20, "5.10.0-34-amd64");
        assertThat(old.state()).isEqualTo(State.WARN);
        assertThat(old.found()).startsWith("8192 KiB");
        assertThat(old.remedy()).contains("LimitMEMLOCK=infinity");
        assertThat(MachineChecks.lockedMemory(Long.MAX_VALUE, "5.10.0-34-amd64").state()).isEqualTo(State.OK);
    }
}
