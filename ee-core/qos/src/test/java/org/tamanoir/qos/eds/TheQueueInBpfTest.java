package org.tamanoir.qos.eds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.NativeTool;

/**
 * The queue in BPF is compiled. A kernel that can have it has not been met: on others the verifier is asked about its arithmetic alone, and the queue itself is
 * refused by name.
 */
@Tag("lab")
class TheQueueInBpfTest {
    private static final Path TYPES = Path.of("/sys/kernel/btf/vmlinux");
    private static final Path PINS = Path.of("/sys/fs/bpf");

    @TempDir
    private Path directory;

    @Test
    void isCompiledAndItsArithmeticPassesTheVerifier() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        DebianPackages.require("clang", "clang");
        DebianPackages.require("bpftool", "bpftool");
        NativeTool.make(NativeTool.checkout().resolve("kernel-helpers/eds"), directory, List.of("bpf"));
        if (!Files.isWritable(PINS) || !Files.readString(Path.of("/proc/mounts")).contains(" " + PINS + " ")) {
            Command.run(List.of("mount", "-t", "bpf", "bpf", PINS.toString()));
        }
        Path pin = PINS.resolve("tamanoir-eds-" + ProcessHandle.current().pid());
        try {
            Command.run(List.of("bpftool", "prog", "load", directory.resolve("arithmetic.bpf.o").toString(), pin.toString()));
            assertThat(Command.run(List.of("bpftool", "prog", "show", "pinned", pin.toString())).output()).contains("decide");
        } finally {
            Files.deleteIfExists(pin);
        }
        if (!new String(Files.readAllBytes(TYPES), StandardCharsets.ISO_8859_1).contains("bpf_struct_ops_Qdisc_ops")) {
            Command.Result refused = Command.tryRun(List.of("bpftool", "struct_ops", "register", directory.resolve("eds.bpf.o").toString()), null,
                    Duration.ofSeconds(20));
            assertThat(refused.exit()).isNotZero();
            assertThat(refused.output() + refused.errors()).contains("not found in kernel");
        }
    }
}
