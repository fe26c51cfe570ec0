package org.tamanoir.qos.eds.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.domain.TrafficControl;
import org.tamanoir.qos.eds.EdsParameters;

/** What is refused before anything of the kernel is touched; {@code TheModuleInAKernelTest} is about the rest. */
class EdsQueueSetupTest {
    private static final String RELEASE = "6.1.0-9-amd64";
    private static final EdsSettings SIX = new EdsSettings(95_000_000, new EdsParameters(100_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS,
            EdsSettings.red(6_000, 80_000, 100_000_000)), EdsSettings.CODE_POINTS);

    @TempDir
    private Path system;

    private final List<String> said = new ArrayList<>();
    private String queues = "qdisc noqueue 0: root refcnt 2\n";
    private EdsQueueSetup setup;

    @BeforeEach
    void open() throws Exception {
        Files.createDirectories(system.resolve("proc"));
        Files.createDirectories(system.resolve("sys/kernel/btf"));
        setup = new EdsQueueSetup(system, RELEASE, new TrafficControl() {
            @Override
            public String ask(List<String> arguments) {
                return arguments.contains("show") ? queues : "";
            }

            @Override
            public void batch(List<String> lines) {
                said.addAll(lines);
            }
        }, "eth1");
    }

    private Path module(String name, String release) throws Exception {
        return write("\u007fELF\1\2\0license=GPL\0name=" + name + "\0vermagic=" + release + " SMP mod_unload \0\3");
    }

    private Path write(String text) throws Exception {
        return Files.writeString(system.resolve("file"), text, StandardCharsets.ISO_8859_1);
    }

    private void assertRefused(ErrorCode code, String text, ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageContaining(text).asInstanceOf(type(AnepException.class)).extracting(AnepException::code).isEqualTo(code);
        assertThat(said).isEmpty();
    }

    @Test
    void aModuleOfAnotherKernelIsNotLoaded() throws Exception {
        Files.writeString(system.resolve("proc/modules"), "");
        assertRefused(ErrorCode.FOREIGN_MODULE, "6.1.176, and " + RELEASE + " runs", () -> setup.apply(module("sch_eds", "6.1.176"), SIX));
        assertRefused(ErrorCode.FOREIGN_MODULE, "'sch_red'", () -> setup.apply(module("sch_red", RELEASE), SIX));
        assertRefused(ErrorCode.FOREIGN_MODULE, "no module", () -> setup.apply(write("#!/bin/sh"), SIX));
        assertRefused(ErrorCode.FOREIGN_MODULE, "cannot read", () -> setup.apply(system.resolve("nothing"), SIX));
    }

    @Test
    void aKernelWithoutModulesOrQueuesInBpfSaysSo() throws Exception {
        assertRefused(ErrorCode.NO_QUEUE_KIND, "CONFIG_MODULES", () -> setup.apply(module("sch_eds", RELEASE), SIX));
        assertRefused(ErrorCode.NO_QUEUE_KIND, "CONFIG_NET_SCH_BPF", () -> setup.applyBpf(write("")));
        Files.writeString(system.resolve("sys/kernel/btf/vmlinux"), "tcp_congestion_ops\0");
        assertRefused(ErrorCode.NO_QUEUE_KIND, "6.16", () -> setup.applyBpf(write("")));
        Files.writeString(system.resolve("sys/kernel/btf/vmlinux"), "\0bpf_struct_ops_Qdisc_ops\0");
        assertRefused(ErrorCode.FOREIGN_MODULE, "cannot read", () -> setup.applyBpf(system.resolve("nothing")));
    }

    @Test
    void aModuleThatTheKernelDoesNotTakeIsReported() throws Exception {
        Files.writeString(system.resolve("proc/modules"), "");
        // What looks like a module and is none: whatever insmod says of it, or that there is none here.
        assertRefused(ErrorCode.KERNEL_REFUSED, "insmod", () -> setup.apply(module("sch_eds", RELEASE), SIX));
    }

    @Test
    void queuesOfOthersStay() throws Exception {
        Files.writeString(system.resolve("proc/modules"), "sch_eds 16384 0 - Live\n");
        queues = "qdisc htb 1: root refcnt 2 r2q 10\n";
        assertRefused(ErrorCode.DOMAIN_FOREIGN, "somebody else", () -> setup.apply(module("sch_eds", RELEASE), SIX));
        queues = "qdisc tbf 5405: root refcnt 2\n";
        assertRefused(ErrorCode.DOMAIN_FOREIGN, "qos eds remove", () -> setup.apply(module("sch_eds", RELEASE), SIX));
    }

    @Test
    void theQueueIsSetUpBehindABucketAndItsCountsAreRead() throws Exception {
        Files.writeString(system.resolve("proc/modules"), "sch_eds 16384 0 - Live\n");
        setup.apply(module("sch_eds", RELEASE), SIX);
        assertThat(said).containsExactly("qdisc add dev eth1 root handle 5405: tbf rate 95000000bit burst 11875 limit 100000",
                "qdisc add dev eth1 parent 5405:1 handle 5406: eds limit 100000 min 6000 max 80000 probability 0.1 bandwidth 95000 avpkt 1065 burst 30 "
                + "hist_depth 1200 nb 6 fact_delay 10 12 15 20 30 60 fact_loss 60 30 20 15 12 10 dscp 3 7 11 15 19 23");
        assertThat(setup.show()).isEmpty();
        queues = "qdisc eds 5405: root limit 100000b\n  class 1 arrived 10 lost 2 sent 7 waited 14000us\n  class 6 arrived 5 lost 0 sent 5 waited 1us\n";
        assertThat(setup.show().orElseThrow()).hasSize(2).first().satisfies(first -> {
            assertThat(first.number()).isEqualTo(1);
            assertThat(first.count().lossRate()).isEqualTo(0.2);
            assertThat(first.count().delay()).isEqualTo(2);
        });
        assertThatThrownBy(() -> new EdsSettings(0, SIX.parameters(), List.of(1, 2, 3, 4, 5, 5))).hasMessageContaining("code point of its own");
        assertThatThrownBy(() -> new EdsSettings(0, SIX.parameters(), List.of(1, 2, 3, 4, 5, 64))).hasMessageContaining("0 to 63");
    }
}
