package org.tamanoir.node.cluster.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.node.cluster.load.LoadMeter.CpuShare;
import org.tamanoir.node.cluster.load.LoadMeter.LoopLag;

/** What a back end says of its load, from readings and a virtual clock. */
class LoadTest {
    private static final long MILLI = 1_000_000;

    @TempDir
    private Path root;

    /** Wrong: a loop that is held counts only when it runs again, or for ever after. */
    @Test
    void aHeldLoopIsLateWhileItIsHeldAndForASecondAfter() {
        long now = 0;
        LoopLag lag = new LoopLag(now);
        for (int i = 0; i < 100; i++) {
            now += 51 * MILLI;
            lag.ran(now);
        }
        assertThat(lag.largest(now)).isEqualTo(MILLI);
        assertThat(lag.largest(now + 450 * MILLI)).isEqualTo(400 * MILLI);
        assertThat(lag.overdue(now + 450 * MILLI)).isEqualTo(400 * MILLI);
        now += 450 * MILLI;
        lag.ran(now);
        assertThat(lag.overdue(now)).isZero();
        for (int i = 0; i < 19; i++) {
            now += 51 * MILLI;
            lag.ran(now);
        }
        assertThat(lag.largest(now)).as("969 ms later").isEqualTo(400 * MILLI);
        now += 51 * MILLI;
        lag.ran(now);
        assertThat(lag.largest(now)).as("a second later").isEqualTo(MILLI);
    }

    /** Wrong: a mean since the start, which says nothing of now; a share of the machine where there is a quota. */
    @Test
    void theShareIsThatOfTheLastSecondOfWhatMayBeUsed() {
        CpuShare share = new CpuShare();
        long used = 0;
        long now = 7;
        assertThat(share.read(now, used, 0.5)).isZero();
        for (int i = 0; i < 50; i++) {
            now += 100 * MILLI;
            used += 50 * MILLI;
            share.read(now, used, 0.5);
        }
        assertThat(share.read(now + MILLI, used, 0.5)).isCloseTo(1, within(1e-9));
        for (int i = 0; i < 11; i++) {
            now += 100 * MILLI;
            used += 10 * MILLI;
            share.read(now, used, 0.5);
        }
        assertThat(share.read(now + MILLI, used, 0.5)).isCloseTo(0.2, within(1e-9));
        assertThat(share.read(now + 20_000 * MILLI, used, 0.5)).as("after a long silence").isLessThan(0.01);
    }

    @ParameterizedTest
    @CsvSource({"50000 100000, 0.5", "max 100000, 8", "400000 100000, 4", "1600000 100000, 8", "nonsense, 8", "50000, 8"})
    void aQuotaOfItsGroupCounts(String max, double cpus) throws IOException {
        file("proc/self/cgroup", "0::/system.slice/node\n");
        file("sys/fs/cgroup/system.slice/node/cpu.max", max + "\n");
        assertThat(new CpuAllowance(root).cpus(8)).isEqualTo(cpus);
    }

    /** Wrong: to look at the lowest group alone. */
    @Test
    void theSmallestOfAllGroupsAboveItCounts() throws IOException {
        file("proc/self/cgroup", "0::/a/b/c\n");
        file("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
        file("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
        file("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
        file("sys/fs/cpu.max", "1 100000\n");
        assertThat(new CpuAllowance(root).cpus(4)).isEqualTo(1.5);
    }

    @Test
    void quotasOfTheFirstVersionCountTooAndOthersOfOtherControllersDoNot() throws IOException {
        file("proc/self/cgroup", "12:cpuset:/x\n3:cpu,cpuacct:/jobs\n1:name=systemd:/y\n0::/\n");
        file("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "25000\n");
        file("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n");
        file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        file("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "1\n");
        file("sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
        assertThat(new CpuAllowance(root).cpus(2)).isEqualTo(0.25);
    }

    @Test
    void withoutGroupsItIsWhatThereIs() {
        assertThat(new CpuAllowance(root).cpus(3)).isEqualTo(3);
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
