package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one run tells the next, and what it gives back. */
class LeftoversTest {
    @TempDir
    private Path directory;

    @Test
    void theStateComesBackAndHalfAStateIsNotTakenForNone() throws IOException {
        StateFile file = new StateFile(directory);
        assertThat(file.read()).isNull();
        StateFile.State state = new StateFile.State("0123456789abcdef", List.of("TCP 10.0.0.1:80", "FWM 7 IPv6"), Map.of("expire_nodest_conn", "0"), 17, 18,
                "b");
        file.write(state);
        Files.writeString(directory.resolve("state.json.part"), "{\"owner\" : ");
        assertThat(file.read()).isEqualTo(state);
        for (String broken : List.of("", "{", "{}", "{\"owner\":\"x\"}", "[]", Files.readString(directory.resolve("state.json")).replace("services", "s"))) {
            Files.writeString(directory.resolve("state.json"), broken);
            assertThatThrownBy(file::read).hasMessageStartingWith("EE-905").hasMessageContaining("state.json");
        }
    }

    @Test
    void parametersThatWereOtherwiseAreGivenBackAndNoOthers() throws IOException {
        Files.writeString(directory.resolve("expire_nodest_conn"), "0\n");
        Files.writeString(directory.resolve("expire_quiescent_template"), "1\n");
        Files.writeString(directory.resolve("sync_threshold"), "3\t50\n");
        IpvsSysctls sysctls = new IpvsSysctls(directory);
        Map<String, String> before = sysctls.before(IpvsSysctls.wanted(true));
        assertThat(before).containsOnly(Map.entry("expire_nodest_conn", "0"), Map.entry("sync_threshold", "3 50"));
        sysctls.set(IpvsSysctls.wanted(true));
        assertThat(sysctls.before(IpvsSysctls.wanted(true))).isEmpty();
        sysctls.set(before);
        assertThat(directory.resolve("sync_threshold")).hasContent("3 50");
        assertThat(sysctls.before(IpvsSysctls.wanted(false))).containsOnlyKeys("expire_nodest_conn");
    }

    /** A pid is used again: a process is ours by its command line, and that must be keepalived's. */
    @Test
    void aProcessThatOnlyNamesTheFileIsNotOurs() throws Exception {
        Path configuration = directory.resolve("keepalived.conf");
        Process other = new ProcessBuilder("sh", "-c", "sleep 60; :", "keepalived", "--use-file=" + configuration).start();
        try {
            assertThat(OwnProcess.runs(other.pid(), configuration)).isFalse();
            assertThat(OwnProcess.started(other.pid())).isPositive().isEqualTo(OwnProcess.started(other.pid()));
        } finally {
            other.descendants().forEach(ProcessHandle::destroyForcibly);
            other.destroyForcibly().waitFor();
        }
        assertThat(OwnProcess.started(other.pid())).isEqualTo(-1);
        assertThat(OwnProcess.runs(other.pid(), configuration)).isFalse();
    }

    @Test
    void whatTheAdministratorHasToDoIsSaid() throws IOException {
        Files.createDirectories(directory.resolve("ipv4"));
        Files.writeString(directory.resolve("ipv4/ip_forward"), "0\n");
        List<Director.Service> nat = Director.services(Plans.parse(KeepalivedConfTest.NAT), KeepalivedConfTest.settings(false));
        assertThat(DirectorProblems.of(nat, false, directory)).startsWith("EE-907").contains("sysctl -w net.ipv4.ip_forward=1");
        Files.writeString(directory.resolve("ipv4/ip_forward"), "1\n");
        assertThat(DirectorProblems.of(nat, false, directory)).isNull();
        assertThat(DirectorProblems.of(nat, true, directory)).startsWith("EE-907").contains("ip address add 10.77.0.100/32");
        List<Director.Service> here = Director.services(Plans.parse("TCP,127.0.0.1,3322,NAT,WLC,0"), KeepalivedConfTest.settings(false));
        assertThat(DirectorProblems.of(here, true, directory)).isNull();
    }
}
