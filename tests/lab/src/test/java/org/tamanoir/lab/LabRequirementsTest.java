package org.tamanoir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LabRequirementsTest {
    @Test
    void whatIsMissingIsNamedWithItsRemedy() {
        assertThat(new LabRequirements(false, false, List.of("nftables")).explain())
                .contains("root (sudo)").contains("apt-get install nftables");
        assertThat(new LabRequirements(true, false, List.of()).explain()).contains("CAP_SYS_ADMIN");
        assertThat(new LabRequirements(true, true, List.of()).explain()).isEmpty();
    }

    @Test
    void aLaboratoryIsMetOnlyWhenNothingIsMissing() {
        assertThat(new LabRequirements(true, true, List.of()).met()).isTrue();
        assertThat(new LabRequirements(true, false, List.of()).met()).isFalse();
        assertThat(new LabRequirements(false, true, List.of()).met()).isFalse();
        assertThat(new LabRequirements(true, true, List.of("iproute2")).met()).isFalse();
    }

    @Test
    void programsAreFoundOnThePath() {
        assertThat(LabRequirements.has("sh")).isTrue();
        assertThat(LabRequirements.has("no-such-program-anywhere")).isFalse();
    }
}
