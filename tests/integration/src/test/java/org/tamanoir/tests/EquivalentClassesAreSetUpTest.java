package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.KernelTestbed;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.UserModeKernel;

/** {@code qos eds} from the command line to the kernel and back, as an operator does it, on a kernel that takes modules: user-mode Linux. */
@Tag("lab")
@Tag("sweep")
@Timeout(300)
class EquivalentClassesAreSetUpTest {
    /** Of the router, in which the command's JVM runs too. */
    private static final int MEGABYTES = 1_024;

    private static KernelTestbed testbed;
    private static Path made;

    @BeforeAll
    static void open() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        made = UserModeKernel.make("kernel-helpers/eds", "tests/integration/target/eds", "tc", "module");
        testbed = KernelTestbed.open(MEGABYTES);
    }

    @AfterAll
    static void close() {
        if (testbed != null) {
            testbed.close();
        }
    }

    /** Runs the command in the router; what it printed, and its exit code in the last line. */
    private static String eds(String verb, String... more) {
        List<String> command = CommandLineTool.command(List.of("-Xmx128m"), "qos", "eds", verb, "--interface", "vec1");
        return testbed.router().run(String.join(" ", command) + " " + String.join(" ", more) + " 2>&1; echo exit $?");
    }

    private static String tc(String what) {
        return testbed.router().run("tc " + what);
    }

    @Test
    void itIsAppliedShownAndTakenAwayAndTheInterfaceIsAsBefore() {
        String before = tc("qdisc show dev vec1");
        String library = "--tc-lib " + made;
        assertThat(eds("apply", library, "--rate 10M --red 6000:80000 --module", made.resolve("sch_eds.ko").toString())).contains("exit 0");
        assertThat(testbed.router().run("lsmod")).contains("sch_eds");
        assertThat(tc("qdisc show dev vec1")).contains("tbf").contains("eds");
        assertThat(eds("show", library)).as("before the first packet").contains("exit 0").contains("no packet has come yet");
        assertThat(eds("show", "--tc-lib /tmp")).as("with a tc that does not know the queue").contains("EE-504").contains("exit 1");
        testbed.router().run("for i in 1 2 3 4; do echo >/dev/udp/" + testbed.receiver().ipv4().getHostAddress() + "/9; sleep 0.1; done");
        assertThat(eds("show", library)).contains("exit 0").contains("ARRIVED").containsPattern("(?m)^ *3 +[3-9] +0 +[3-9] ");

        String applied = tc("qdisc show dev vec1");
        assertThat(eds("apply", library, "--rate 20M --module", made.resolve("sch_eds.ko").toString())).as("over what is there").contains("EE-811").contains("eds remove").contains("exit 4");
        assertThat(eds("apply", library, "--rate 20M --delay 1,2 --loss 2,1,1 --code-points 3,7 --module", made.resolve("sch_eds.ko").toString())).contains("EE-501").contains("exit 2");
        assertThat(tc("qdisc show dev vec1")).as("a refusal leaves it as it is").isEqualTo(applied);

        assertThat(eds("remove", library)).contains("exit 0");
        assertThat(tc("qdisc show dev vec1")).isEqualTo(before);
    }

    @Test
    void aModuleForAnotherKernelIsRefusedAndNothingIsChanged() {
        String before = tc("qdisc show dev vec1");
        String other = "/tmp/other.ko";
        testbed.router().run("sed 's/vermagic=[0-9]/vermagic=9/' " + made.resolve("sch_eds.ko") + " > " + other);
        assertThat(eds("apply", "--tc-lib " + made, "--module", other)).contains("EE-").contains("built for").contains("exit 4");
        assertThat(tc("qdisc show dev vec1")).isEqualTo(before);
    }
}
