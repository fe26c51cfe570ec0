package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.transfer.mover.Mover;
import org.tamanoir.transfer.mover.MoverOptions;
import picocli.CommandLine;

/** What {@code copy} says, and its exit codes. */
class CopyCommandTest {
    @TempDir
    private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Tamanoir.commandLine(arguments).setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private Mover mover(boolean readOnly) throws IOException {
        return Mover.open(new MoverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Files.createDirectories(directory.resolve("far")), null, readOnly,
                MoverOptions.STREAMS, MoverOptions.MEMORY));
    }

    private static String at(Mover mover) {
        return "tam://127.0.0.1:" + mover.address().getPort() + "/";
    }

    @Test
    void itSaysWhatHasComeOfIt() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (Mover mover = mover(false)) {
            assertThat(run("copy", "--dry-run", file.toString(), at(mover))).as(err.toString()).isZero();
            assertThat(out.toString()).contains("file\n").contains("would copy 1 files");
            assertThat(directory.resolve("far/file")).doesNotExist();
            assertThat(run("copy", file.toString(), at(mover))).isZero();
            assertThat(out.toString()).contains("copied 1 files, 7 octets");
            assertThat(run("copy", "--json", file.toString(), at(mover))).isZero();
            assertThat(out.toString()).contains("\"event\":\"done\"").contains("\"present\":1");
        }
    }

    @Test
    @Tag("long")
    void whatFailsHasItsCode() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (Mover mover = mover(true)) {
            assertThat(run("copy", file.toString(), at(mover))).isEqualTo(ExitCode.FAILED);
            assertThat(out.toString()).contains("EE-414");
            assertThat(err.toString()).contains("EE-753 1 of 1 files are not copied");
            assertThat(run("copy", directory.resolve("none").toString(), at(mover))).isEqualTo(ExitCode.NOT_FOUND);
        }
        assertThat(run("copy", "--patience", "1s", file.toString(), "tam://127.0.0.1:1/")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(run("copy", "--streams", "65", "a", "b")).isEqualTo(ExitCode.USAGE);
        assertThat(run("mover", "run", "--listen", "0.0.0.0:0", "--root", directory.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--token-file").contains("--open");
    }
}
