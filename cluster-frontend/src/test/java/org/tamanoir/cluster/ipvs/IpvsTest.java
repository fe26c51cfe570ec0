package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a machine can be a director, by a procfs and a directory of programs of the test's making. */
class IpvsTest {
    @TempDir
    private Path machine;
    private Path proc;
    private Path programs;

    @BeforeEach
    void aMachineWithEverything() throws IOException {
        proc = machine.resolve("proc");
        programs = machine.resolve("sbin");
        Files.createDirectories(proc.resolve("net"));
        Files.createDirectories(proc.resolve("self"));
        Files.createDirectories(proc.resolve("sys/kernel"));
        Files.createDirectories(programs);
        Files.writeString(proc.resolve("net/ip_vs"), "IP Virtual Server version 1.2.1 (size=4096)\n");
        Files.writeString(proc.resolve("self/status"), "Name:\tjava\nCapEff:\t0000000000003000\n");
        Files.writeString(proc.resolve("sys/kernel/modprobe"), "\n");
        for (String program : List.of("ipvsadm", "keepalived", "nft")) {
            program(program, "#!/bin/sh\nexit 0\n");
        }
    }

    private void program(String name, String script) throws IOException {
        Files.writeString(programs.resolve(name), script);
        Files.setPosixFilePermissions(programs.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ipvs.Check check() {
        return Ipvs.check(proc, List.of(machine.resolve("none"), programs));
    }

    @Test
    void withEverythingItCan() {
        assertThat(check()).isEqualTo(new Ipvs.Check(true, "the kernel has IPVS"));
    }

    @Test
    void eachThingThatIsMissingIsNamedWithItsRemedy() throws IOException {
        for (String program : List.of("ipvsadm", "keepalived", "nft")) {
            Files.move(programs.resolve(program), programs.resolve("away"));
            assertThat(check().usable()).isFalse();
            assertThat(check().why()).contains(program).contains("apt-get install " + (program.equals("nft") ? "nftables" : program));
            Files.move(programs.resolve("away"), programs.resolve(program));
        }
        Files.writeString(proc.resolve("self/status"), "CapEff:\t0000003fffffefff\n");
        assertThat(check()).satisfies(check -> assertThat(check.usable()).isFalse()).satisfies(check -> assertThat(check.why()).contains("CAP_NET_ADMIN"));
    }

    @Test
    void aModuleIsLoadedAndItsAbsenceExplained() throws IOException {
        Files.delete(proc.resolve("net/ip_vs"));
        assertThat(check()).satisfies(check -> assertThat(check.usable()).isFalse())
                .satisfies(check -> assertThat(check.why()).startsWith("the kernel has no IPVS (").contains("kmod"));
        program("modprobe", "#!/bin/sh\necho 'modprobe: FATAL: Module ip_vs not found.' >&2\nexit 1\n");
        assertThat(check().why()).contains("Module ip_vs not found");
        program("modprobe", "#!/bin/sh\n[ \"$2\" = ip_vs ] && : >" + proc.resolve("net/ip_vs") + "\n");
        assertThat(check().usable()).isTrue();
    }
}
