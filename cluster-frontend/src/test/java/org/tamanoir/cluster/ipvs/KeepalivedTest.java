package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;

/** What is written is what keepalived takes: the real one reads it, and starts nothing. */
@Tag("lab")
class KeepalivedTest {
    @TempDir
    private Path directory;

    @BeforeAll
    static void theProgram() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        DebianPackages.require("keepalived", "keepalived", "keepalived");
    }

    private String text(String name) throws IOException {
        Files.createDirectories(KeepalivedConf.weights(directory));
        return KeepalivedConfTest.golden(name + ".conf").replace("/run/tamanoir/front", directory.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nat", "affinity", "six", "nothing"})
    void keepalivedTakesWhatIsWritten(String name) throws Exception {
        try (Lab lab = Lab.open()) {
            // keepalived refuses interfaces that are not there.
            Host host = lab.host("front");
            host.ip("link", "add", "eth0", "type", "veth", "peer", "name", "eth1");
            String text = text(name);
            host.inside(() -> {
                new Keepalived(directory).test(text);
                return null;
            });
        }
        try (var files = Files.list(directory)) {
            assertThat(files).extracting(Path::getFileName).extracting(Path::toString).containsExactly("weights");
        }
    }

    @Test
    void nftTakesTheTableOfMarks() throws Exception {
        try (Lab lab = Lab.open()) {
            Host host = lab.host("front");
            host.nft(KeepalivedConfTest.golden("marks.nft"));
            assertThat(host.run("nft", "list", "table", "ip6", MarkTable.NAME).output()).contains(MarkTable.comment("0123456789abcdef"))
                    .contains("ip6 daddr fd00:77::101 udp dport 3322 meta mark set 0x");
            for (String family : List.of("ip", "ip6", "ip", "ip6")) {
                host.nft(MarkTable.remove(family));
            }
            assertThat(host.run("nft", "list", "ruleset").output()).isEmpty();
        }
    }

    @Test
    void whatItDoesNotTakeIsRefusedWithItsWordsAndTheOneBeforeStays() throws IOException {
        Files.writeString(directory.resolve("keepalived.conf"), "the last good one");
        String broken = text("nat").replace("lvs_sched wlc", "lvs_sched wlc\n    lvs_shed wlc");
        assertThatThrownBy(() -> new Keepalived(directory).test(broken)).hasMessageStartingWith("EE-905").hasMessageContaining("lvs_shed");
        assertThat(directory.resolve("keepalived.conf")).hasContent("the last good one");
    }

    @Test
    void aProgramThatIsMissingIsNamedWithItsPackage() {
        assertThatThrownBy(() -> SystemProgram.find("no-such-keepalived", "keepalived", ErrorCode.KEEPALIVED)).hasMessageStartingWith("EE-905")
                .hasMessageContaining("apt-get install keepalived");
        SystemProgram missing = new SystemProgram(directory.resolve("none"), ErrorCode.KEEPALIVED);
        assertThatThrownBy(() -> new Keepalived(directory, missing).test("")).hasMessageStartingWith("EE-905");
        assertThat(SystemProgram.find(List.of(directory), "keepalived")).isEmpty();
    }
}
