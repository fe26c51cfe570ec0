package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabRequirements;

/** JVMs with fewer capabilities, on hosts that do not forward, without libraries: each gets a sentence that names the remedy. */
@Tag("lab")
class WhatIsMissingTest {
    private static final String HAS_IT = "has it";

    private Lab lab;
    private Host host;

    @BeforeEach
    void start() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        assumeTrue(LabRequirements.has("setpriv"), "Programs are missing: apt-get install util-linux");
        KernelProbe here = KernelProbe.of();
        assumeTrue(here.has(Feature.BPF) && here.has(Feature.TCX) && here.has(Feature.NFT),
                () -> "This test needs Linux 6.6 and root: " + here.missing(Feature.BPF) + here.missing(Feature.TCX) + here.missing(Feature.NFT));
        lab = Lab.open();
        host = lab.host("probed");
    }

    @AfterEach
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    void withoutCapabilitiesEachFeatureNamesItsOwn() throws Exception {
        host.forward(true);
        Map<String, String> said = probe("-all");
        assertThat(said.get("BPF")).contains("CAP_BPF").contains("EPERM").contains("kernel.unprivileged_bpf_disabled");
        assertThat(said.get("PERFMON")).contains("CAP_PERFMON");
        assertThat(List.of(said.get("TCX"), said.get("CLSACT"), said.get("XDP"), said.get("NETFILTER"), said.get("NFT")))
                .allMatch(sentence -> sentence.contains("CAP_NET_ADMIN") && sentence.contains("AmbientCapabilities"));
        assertThat(said).containsEntry("FORWARD4", HAS_IT).containsEntry("udp", "false tcp false");
    }

    @Test
    void withNetworkAdministrationAloneThereAreConnections() throws Exception {
        host.forward(true);
        Map<String, String> said = probe("-all,+net_admin");
        assertThat(said.get("BPF")).contains("CAP_BPF");
        assertThat(said).containsEntry("NFT", HAS_IT).containsEntry("udp", "false tcp true");
    }

    @Test
    void withoutPerfmonTheVerifierRefuses() throws Exception {
        Map<String, String> said = probe("-all,+net_admin,+bpf");
        assertThat(said.get("PERFMON")).contains("CAP_PERFMON").contains("EACCES");
        assertThat(said).containsEntry("BPF", HAS_IT).containsEntry("TCX", HAS_IT).containsEntry("NFT", HAS_IT);
        assertThat(said.get("udp")).startsWith("false");
    }

    /** What the message says to grant is enough, without the right to make namespaces for the trial. */
    @Test
    void theThreeCapabilitiesOfTheRemedyAreEnough() throws Exception {
        assertThat(probe("-all,+net_admin,+bpf,+perfmon")).containsEntry("udp", "false tcp false")
                .hasEntrySatisfying("FORWARD4", sentence -> assertThat(sentence).contains("sysctl -w net.ipv4.ip_forward=1"))
                .hasEntrySatisfying("FORWARD6", sentence -> assertThat(sentence).contains("sysctl -w net.ipv6.conf.all.forwarding=1"));
        host.forward(true);
        Map<String, String> said = probe("-all,+net_admin,+bpf,+perfmon");
        assertThat(said).containsEntry("udp", "true tcp true");
        for (Feature feature : Feature.values()) {
            assertThat(said).containsEntry(feature.name(), HAS_IT);
        }
        assertThat(host.run("nft", "list", "ruleset").output()).isEmpty();
        assertThat(host.run("tc", "qdisc", "show", "dev", "lo").output()).doesNotContain("clsact");
    }

    @Test
    void aLibraryThatIsNotInstalledIsNamedWithItsPackage() throws Exception {
        host.forward(true);
        Map<String, String> said = without("libnftables.so.1");
        assertThat(said.get("NFT")).contains("libnftables.so.1").contains("apt-get install libnftables1");
        assertThat(said).containsEntry("udp", "true tcp false");

        assertThat(without("libbpf.so.1").get("the")).contains("libbpf.so.1").contains("apt-get install libbpf1");
    }

    @Test
    void aDirectoryThatForbidsProgramsIsNamed(@TempDir Path directory) throws Exception {
        Map<String, String> said = probe(List.of("unshare", "--mount", "sh", "-c",
                "mount -t tmpfs -o noexec none \"$1\" || exit 9; shift; exec \"$@\"", "sh", directory.toString()),
                List.of("-Djava.io.tmpdir=" + directory));
        assertThat(said.get("the")).contains(directory.toString()).contains("noexec").contains("TAMANOIR_JVM=-Djava.io.tmpdir=");
        assertThat(said).containsEntry("udp", "false tcp false");
    }

    private Map<String, String> probe(String capabilities) throws Exception {
        return probe(List.of("setpriv", "--inh-caps=-all", "--bounding-set=" + capabilities), List.of());
    }

    /** A mount namespace of its own, in which a file that is no library stands in the library's place. */
    private Map<String, String> without(String library) throws Exception {
        return probe(List.of("unshare", "--mount", "sh", "-c",
                "library=$1; shift; for file in /usr/lib/*/$library /usr/lib*/$library; do"
                        + " [ ! -e \"$file\" ] || mount --bind /etc/hostname \"$file\" || exit 9; done; exec \"$@\"", "sh", library), List.of());
    }

    /** Sentences by feature; the first word of each line of {@link ProbeMain}. */
    private Map<String, String> probe(List<String> prefix, List<String> options) throws Exception {
        List<String> command = new ArrayList<>(host.command(prefix));
        Map<String, String> said = new HashMap<>();
        for (String line : Jvm.run(command, options, ProbeMain.class)) {
            int space = line.indexOf(' ');
            said.put(space < 0 ? line : line.substring(0, space), line.substring(space + 1));
        }
        return said;
    }
}
