package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class BundledServicesTest {
    @Test
    void aTypeIdIsANameOrANumberFrom1To65535() {
        assertThat(BundledServices.parse("compression")).isEqualTo(0x5403);
        assertThat(BundledServices.typeId("compression")).isEqualTo(0x5403);
        assertThat(BundledServices.typeId("unheard-of")).isNull();
        assertThat(BundledServices.parse("0x5500")).isEqualTo(0x5500);
        assertThat(BundledServices.parse("1")).isEqualTo(1);
        assertThat(BundledServices.parse("0xffff")).isEqualTo(0xffff);
        for (String wrong : new String[] {"0", "-1", "0x10000", "unheard-of", ""}) {
            assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> BundledServices.parse(wrong)).withMessageContaining(wrong);
        }
    }
}
