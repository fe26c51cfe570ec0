package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/** Interfaces and addresses that come and go while a node runs. */
@Tag("lab")
class KernelEventTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Test
    void interfacesAndAddressesAreToldAsTheyComeAndGo() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        try (Lab lab = Lab.open()) {
            Host host = lab.host("changing");
            LabProcess events = host.startJava(EventsMain.class);
            events.awaitLine("ready", PATIENCE);
            host.run("ip", "link", "add", "one", "type", "veth", "peer", "name", "two");
            events.awaitLine("LINK_NEW one false", PATIENCE);
            host.run("ip", "addr", "add", "10.1.1.1/24", "dev", "one");
            events.awaitLine("ADDRESS_NEW  10.1.1.1", PATIENCE);
            host.run("ip", "link", "set", "one", "up");
            events.awaitLine("LINK_NEW one true", PATIENCE);
            host.run("ip", "addr", "add", "fd00::1/64", "dev", "one", "nodad");
            events.awaitLine("ADDRESS_NEW  fd00:0:0:0:0:0:0:1", PATIENCE);
            host.run("ip", "addr", "del", "10.1.1.1/24", "dev", "one");
            events.awaitLine("ADDRESS_GONE  10.1.1.1", PATIENCE);
            // A port that joins a bridge and leaves it has not gone.
            host.run("ip", "link", "add", "bridge", "type", "bridge");
            host.run("ip", "link", "set", "two", "master", "bridge");
            host.run("ip", "link", "set", "two", "nomaster");
            host.run("ip", "addr", "add", "10.1.1.2/24", "dev", "one");
            String line = events.awaitLine("", PATIENCE);
            while (!line.equals("ADDRESS_NEW  10.1.1.2")) {
                assertThat(line).doesNotStartWith("LINK_GONE");
                line = events.awaitLine("", PATIENCE);
            }
            host.run("ip", "link", "del", "one");
            events.awaitLine("LINK_GONE", PATIENCE);
            host.run("ip", "link", "add", "one", "type", "veth", "peer", "name", "two");
            events.awaitLine("LINK_NEW one", PATIENCE);
        }
    }
}
