package org.tamanoir.trust;

import static org.assertj.core.api.Assertions.assertThat;

import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuestLabelTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "CN=cms,O=CERN | cms",
        "CN=CMS Filters,O=CERN | cms-filters",
        "O=CERN,CN=atlas.example_1 | atlas.example_1",
        "CN=inner,CN=outer | inner",
        "CN=a+OU=b,O=c | a",
        "CN=a/../b,O=c | a-..-b",
        "CN=x~y,O=c | x-y",
        "CN=\u212aelvin2,O=c | ''",
        "CN=m\u00fcon,O=c | m-on",
        "CN=\u0430dmin,O=c | ''",
        "CN=..,O=c | ''",
        "CN=-x,O=c | ''",
        "O=nobody | ''",
        "1.2.3=#1303414243,O=c | ''"})
    void isTheCommonNameInWhatALabelCanHave(String subject, String label) {
        assertThat(GuestLabel.of(new X500Principal(subject))).isEqualTo(label);
    }

    @Test
    void isNoneIfItWereCutOff() {
        assertThat(GuestLabel.of(new X500Principal("CN=" + "a".repeat(63)))).hasSize(63);
        assertThat(GuestLabel.of(new X500Principal("CN=" + "a".repeat(64)))).isEmpty();
    }
}
