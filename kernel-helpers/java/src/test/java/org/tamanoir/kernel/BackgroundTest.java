package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BackgroundTest {
    private static final String SCHED_OTHER = "0";
    private static final String SCHED_IDLE = "5";

    /** Field 41 of {@code proc(5)}; the name in field 2 may hold blanks, so it is counted from its closing bracket. */
    private static String policy() throws IOException {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[41 - 3];
    }

    @Test
    void itsThreadsGiveWayAndNoOthersDo() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor(Background.threads("background"));
        try {
            assertThat(threads.submit(BackgroundTest::policy).get()).isEqualTo(SCHED_IDLE);
        } finally {
            threads.shutdown();
        }
        assertThat(policy()).isEqualTo(SCHED_OTHER);
    }
}
