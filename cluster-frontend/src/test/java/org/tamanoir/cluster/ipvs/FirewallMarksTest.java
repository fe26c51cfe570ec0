package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;

/** Marks in the nftables of a namespace; the other way, by iptables, is in {@link RealIpvsTest}. */
@Tag("lab")
class FirewallMarksTest {
    private static final String OWNER = "0123456789abcdef";
    private final List<Director.Service> services = Director.services(Plans.parse(KeepalivedConfTest.AFFINITY + " " + KeepalivedConfTest.SIX),
            KeepalivedConfTest.settings(false));
    private final Set<ServiceKey> owned = new HashSet<>();
    private Lab lab;
    private Host host;

    @BeforeEach
    void start() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        lab = Lab.open();
        host = lab.host("front");
        host.nft("table ip others {\n\tchain in {\n\t}\n}\n");
        services.forEach(service -> owned.add(service.key()));
    }

    @AfterEach
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    private void inside(Runnable task) throws Exception {
        host.inside(() -> {
            task.run();
            return null;
        });
    }

    private String ruleset() {
        return host.run("nft", "list", "ruleset").output();
    }

    @Test
    void theyComeAreRepairedAndGoAndWhatIsOthersStays() throws Exception {
        String before = ruleset();
        FirewallMarks marks = new FirewallMarks(OWNER);
        inside(() -> marks.set(services, owned));
        String set = ruleset();
        assertThat(set).contains("table ip tamanoir_cluster", "table ip6 tamanoir_cluster", "ip daddr 10.77.0.100 udp dport 3322 meta mark set 0x544168e6");
        inside(() -> assertThat(marks.repair(services)).isFalse());
        host.run("nft", "delete", "table", "ip6", "tamanoir_cluster");
        inside(() -> assertThat(marks.repair(services)).isTrue());
        assertThat(ruleset()).isEqualTo(set);
        // The next run, which knows its owner from the state file.
        inside(() -> new FirewallMarks(OWNER).remove(owned));
        assertThat(ruleset()).isEqualTo(before);
    }

    @Test
    void aTableOfAnotherIsRefusedAndNeitherReplacedNorRemoved() throws Exception {
        inside(() -> new FirewallMarks("fedcba9876543210").set(services, owned));
        String others = ruleset();
        FirewallMarks marks = new FirewallMarks(OWNER);
        inside(() -> {
            assertThatThrownBy(() -> marks.check(services)).hasMessageStartingWith("EE-906");
            assertThatThrownBy(() -> marks.set(services, owned)).hasMessageStartingWith("EE-906");
            marks.remove(owned);
        });
        assertThat(ruleset()).isEqualTo(others);
    }
}
