package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.Command;

/** What takes systems of its own: the scripts beside this module say step by step what is tried. */
@Tag("lab")
@Tag("sweep")
class ScriptsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    /** Wrong: a unit that does not run in its sandbox, one that is started before it serves, a stream that an upgrade cuts, and anything that is left behind. */
    @Test
    @Timeout(1900)
    void isInstalledUpgradedUnderAnOpenStreamAndPurged() {
        assertThat(script("package")).contains("(8 commands, ", "the file is the same", "(the streams that were open arrived whole)", "(nothing is left but ",
                "PASS: Installation, upgrade and purging tests");
    }

    /** Wrong: a library that the image lacks, a root that has to be writable, a chart that Kubernetes would not take. */
    @Test
    @Timeout(1900)
    void runsInAContainer() {
        assertThat(script("image")).contains("(the file is the same)", "1 chart(s) linted, 0 chart(s) failed");
    }

    /** Wrong: a time, a path or an order of files in what is built, and a release that leaves a tag behind when it fails. */
    @Test
    @Timeout(1900)
    void isReleasedAndBuiltAgainTheSame() {
        assertThat(script("release")).contains("the same: tamanoir_").doesNotContain("different: ");
    }

    /** Wrong: octets that differ, a connection of a program that does not go on to its server, and one that does not go through the nodes. */
    @Test
    @Timeout(1900)
    void carryProgramsThatKnowNothingOfNodes() {
        assertThat(script("programs")).contains("rsync  ", "git  ", "ssh  ", "postgresql  ", "xrootd  ", "zeromq  ");
    }

    /** Wrong: a data connection that goes past the nodes, and a rule of the kernel that stays when the gateway was killed. */
    @Test
    @Timeout(1900)
    void carryDataConnectionsThatPassARouter() {
        assertThat(script("transparent")).contains("through  GridFTP, put (PASV), parallel", "through  XRootD redirector");
    }

    private static String script(String name) {
        Command.Result result = Command.tryRun(List.of("bash", Path.of("../../tests", name).toString()), null, PATIENCE);
        assertThat(result.exit()).as("%s%n%s", result.output(), result.errors()).isZero();
        return result.output();
    }
}
