package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code copy … dyram://GROUP} on a group of the loopback interface. */
class CopyToAGroupTest {
    private static final String GROUP = "239.255.78.2:" + (20_000 + (int) (ProcessHandle.current().pid() % 10_000) * 3);

    @TempDir
    private Path folder;

    @Test
    void itIsSentAsMulticastSendDoes() throws Exception {
        byte[] octets = new byte[300_000];
        new Random(1).nextBytes(octets);
        Path file = Files.write(folder.resolve("file"), octets);
        Launched receiver = Launched.here("multicast", "receive", "--group", GROUP, "--interface", "lo", "--name", "lyon", "--output", folder.resolve("out").toString());
        receiver.ready();
        Launched copy = Launched.here("copy", "--receivers", "1", "--interface", "lo", "--rate", "50M", "--services", "aggregate,subcast@source", "--json", file.toString(),
                "dyram://" + GROUP);
        assertThat(copy.exit()).as(copy.err()).isZero();
        assertThat(copy.out()).contains("\"lyon\"").contains("\"complete\"").containsPattern("\"services\" ?: ?\"aggregate,subcast@source\"");
        assertThat(receiver.exit()).as(receiver.err()).isZero();
        assertThat(folder.resolve("out/file")).hasSameBinaryContentAs(file);
    }

    @Test
    void whatMakesNoSenseIsSaid() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "content");
        refused("--streams says nothing about a group", "copy", "--streams", "4", "--receivers", "1", "--rate", "1M", file.toString(), "dyram://" + GROUP);
        refused("a group needs a --rate", "copy", "--receivers", "1", file.toString(), "dyram://" + GROUP);
        refused("--receivers is for a group", "copy", "--receivers", "1", file.toString(), folder.resolve("other").toString());
        refused("--services is for a group", "copy", "--services", "elect", file.toString(), folder.resolve("other").toString());
        refused("'caching' is no service of dyram", "copy", "--receivers", "1", "--rate", "1M", "--services", "caching", file.toString(), "dyram://" + GROUP);
        refused("give --via once", "copy", "--receivers", "1", "--rate", "1M", "--via", "127.0.0.1:1", "--via", "127.0.0.1:2", file.toString(), "dyram://" + GROUP);
        refused("is no group", "copy", "--receivers", "1", "--rate", "1M", file.toString(), "dyram://10.0.0.1");
        Launched far = Launched.here("copy", "--receivers", "1", "--rate", "1M", "tam://127.0.0.1:1/x", "dyram://" + GROUP);
        assertThat(far.exit()).isNotZero();
        assertThat(far.err()).contains("EE-408").contains("not on this machine");
    }

    private static void refused(String words, String... arguments) throws Exception {
        Launched copy = Launched.here(arguments);
        assertThat(copy.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(copy.err()).contains(words);
    }
}
