package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.service.ServicePolicy;

class SourcesTest {
    private static final InetSocketAddress FAR = new InetSocketAddress("192.0.2.7", 3324);
    private static final InetSocketAddress NEIGHBOUR = new InetSocketAddress("192.0.2.8", 3324);
    private static final InetSocketAddress HERE = new InetSocketAddress("127.0.0.1", 3324);

    private static List<String> names(boolean development, InetSocketAddress previous) {
        DeployerSettings settings = new DeployerSettings(List.of("http://192.0.2.1:3325", "http://192.0.2.2:3325"), List.of(NEIGHBOUR),
                Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1), 1 << 20, 1, Duration.ofSeconds(1), LineSettings::defaults,
                (service, declared) -> ServicePolicy.preset(declared, Duration.ofSeconds(1)));
        return new Sources(settings, development).all(previous).stream().map(BundleSource::name).toList();
    }

    @Test
    void areAskedInOrderTheNodeBeforeFirst() {
        assertThat(names(false, FAR)).containsExactly("node 192.0.2.7:3324", "node 192.0.2.8:3324", "http://192.0.2.1:3325",
                "http://192.0.2.2:3325");
        assertThat(names(false, null)).doesNotContain("node 192.0.2.7:3324").hasSize(3);
        assertThat(names(false, NEIGHBOUR)).as("once").hasSize(3);
    }

    @Test
    void areNotWhoeverSendsAStreamWhereSignaturesDoNotCount() {
        assertThat(names(true, FAR)).doesNotContain("node 192.0.2.7:3324").hasSize(3);
        assertThat(names(true, HERE)).contains("node 127.0.0.1:3324");
        assertThat(names(true, NEIGHBOUR)).as("the operator has named it").contains("node 192.0.2.8:3324");
    }
}
