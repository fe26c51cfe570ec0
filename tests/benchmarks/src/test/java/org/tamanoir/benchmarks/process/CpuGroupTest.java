package org.tamanoir.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.benchmarks.process.CpuGroup.Hierarchy;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

class CpuGroupTest {
    private static final String BUSY = "echo busy; while :; do :; done";

    @TempDir
    private Path root;

    /** Wrong: a group that holds nothing back, that counts for less than it uses, or that stays. */
    @Test
    @Tag("long")
    void aProcessGetsItsCapAndNoMoreAndNothingStays() throws Exception {
        assumeThat(canCap()).as("root, and control groups of the kernel").isTrue();
        CpuGroup group = CpuGroup.open();
        Path directory = Hierarchy.find(Path.of("/")).directory();
        try (LabProcess busy = LabProcess.start("busy", List.of("sh", "-c", BUSY))) {
            busy.awaitLine("busy", Duration.ofSeconds(20));
            group.add(busy.pid());
            group.limit(0.1);
            CpuTime before = CpuTime.of(busy.pid());
            long was = throttled(group);
            long begun = System.nanoTime();
            await().atMost(Duration.ofSeconds(30)).until(() -> throttled(group) - was >= 10);
            double seconds = (System.nanoTime() - begun) / 1e9;
            // A busy machine may give it less. The period in which the limit came may have had none.
            assertThat(CpuTime.of(busy.pid()).since(before)).isBetween(0.02, 0.1 * seconds + 0.12);
            group.unlimited();
            CpuTime free = CpuTime.of(busy.pid());
            await().atMost(Duration.ofSeconds(30)).until(() -> CpuTime.of(busy.pid()).since(free) > 0.3);
            assertThat(groups(directory)).hasSize(1);
        }
        group.close();
        assertThat(groups(directory)).isEmpty();
    }

    /** What a JVM is that has a cap of its own. */
    static final class Waits {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("waits");
            Thread.sleep(60_000);
        }
    }

    /** Wrong: compilers that use a part of the cap, or that count as what was used under it. */
    @Test
    void compilersOfAJvmAreNotUnderItsCap() throws Exception {
        assumeThat(canCap()).as("root, and control groups of the kernel").isTrue();
        boolean second = Hierarchy.find(Path.of("/")).second();
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        CpuGroup group = CpuGroup.open();
        try (LabProcess jvm = LabProcess.start("jvm", List.of(java, "-cp", System.getProperty("java.class.path"), Waits.class.getName()))) {
            jvm.awaitLine("waits", Duration.ofSeconds(20));
            group.add(jvm.pid());
            String threads = second ? "cgroup.threads" : "tasks";
            assertThat(names(group, threads)).contains("C2 CompilerThre", "VM Thread");
            double all = group.time().since(CpuTime.ofThreads(LongStream.empty()));
            group.releaseCompilers(jvm.pid());
            assertThat(names(group, threads)).contains("VM Thread").matches(names -> second == names.stream().anyMatch(name -> name.contains("Compiler")));
            assertThat(group.time().since(CpuTime.ofThreads(LongStream.empty()))).isBetween(0.001, second ? Double.MAX_VALUE : all);
        }
        group.close();
    }

    private static List<String> names(CpuGroup group, String threads) throws IOException {
        return Files.readAllLines(group.directory().resolve(threads)).stream().map(thread -> {
            try {
                return Files.readString(Path.of("/proc", thread, "comm")).strip();
            } catch (IOException e) {
                return "";
            }
        }).toList();
    }

    /** Periods in which its processes had to wait. */
    private static long throttled(CpuGroup group) throws IOException {
        return Files.readAllLines(group.directory().resolve("cpu.stat")).stream().map(line -> line.split(" "))
                .filter(words -> words[0].equals("nr_throttled")).mapToLong(words -> Long.parseLong(words[1])).sum();
    }

    private static boolean canCap() {
        try {
            Hierarchy.find(Path.of("/"));
            return true;
        } catch (LabException e) {
            return false;
        }
    }

    private static List<Path> groups(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            return all.filter(each -> each.getFileName().toString().startsWith("tamanoir-" + ProcessHandle.current().pid() + "-")).toList();
        }
    }

    private void machine(String mounts, String own) throws IOException {
        Files.createDirectories(root.resolve("proc/self"));
        Files.writeString(root.resolve("proc/self/mounts"), mounts);
        Files.writeString(root.resolve("proc/self/cgroup"), own);
    }

    @Test
    void theHierarchyThatHasTheControllerIsFound() throws Exception {
        Files.createDirectories(root.resolve("sys/fs/cgroup/cpu,cpuacct/system/ours"));
        machine("tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n",
                "5:cpuset:/\n4:cpu,cpuacct:/system/ours\n0::/\n");
        assertThat(Hierarchy.find(root)).isEqualTo(new Hierarchy(root.resolve("sys/fs/cgroup/cpu,cpuacct/system/ours"), false));
        // In a container the path may be that of the machine, which is not seen.
        machine("cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n", "4:cpu,cpuacct:/docker/1234\n");
        assertThat(Hierarchy.find(root).directory()).isEqualTo(root.resolve("sys/fs/cgroup/cpu,cpuacct"));
        machine("cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n", "0::/user.slice\n");
        Files.writeString(root.resolve("sys/fs/cgroup/cgroup.subtree_control"), "cpuset cpu io memory\n");
        assertThat(Hierarchy.find(root)).isEqualTo(new Hierarchy(root.resolve("sys/fs/cgroup"), true));
        Files.writeString(root.resolve("sys/fs/cgroup/cgroup.subtree_control"), "cpuset io\n");
        assertThatThrownBy(() -> Hierarchy.find(root)).isInstanceOf(LabException.class).hasMessageContaining("EE-504").hasMessageContaining("+cpu");
        machine("", "");
        assertThatThrownBy(() -> Hierarchy.find(root)).hasMessageContaining("EE-504");
    }
}
