package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CertificateWatchTest {
    private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");

    @Test
    void warnsOnceADayFromThirtyDaysBeforeUntilTheServiceOrTheOldCertificateIsGone() {
        CertificateWatch watch = new CertificateWatch();
        Map<String, Instant> certificates = Map.of("CN=soon", NOW.plus(Duration.ofDays(31)), "CN=late", NOW.plus(Duration.ofDays(400)));
        List<String> said = new ArrayList<>();
        for (int hour = 0; hour < 24 * 35; hour++) {
            watch.look(NOW.plus(Duration.ofHours(hour)), certificates, (publisher, what) -> said.add(publisher + " " + what));
        }
        assertThat(said).hasSize(34).allMatch(line -> line.startsWith("CN=soon exp") || line.startsWith("CN=soon has expired"));
        assertThat(said.get(0)).isEqualTo("CN=soon expires at 2027-02-01T00:00:00Z");
        assertThat(said.get(33)).startsWith("CN=soon has expired at 2027-02-01T00:00:00Z");
        said.clear();
        watch.look(NOW.plus(Duration.ofDays(36)), Map.of(), (publisher, what) -> said.add(publisher));
        assertThat(said).isEmpty();
    }
}
