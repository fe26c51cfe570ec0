package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ThreadSchedulingTest {
    /** Field 19 of {@code proc(5)}, counted from the bracket behind the name. */
    private static String nice() {
        try {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19 - 3];
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aThreadStandsBackAloneAndIsStillAnOrdinaryOne() throws Exception {
        CompletableFuture<String> backward = new CompletableFuture<>();
        new Thread(() -> {
            ThreadScheduling.standBack();
            backward.complete(nice());
        }).start();
        assertThat(backward.get()).isEqualTo("5");
        assertThat(nice()).isEqualTo("0");
    }
}
