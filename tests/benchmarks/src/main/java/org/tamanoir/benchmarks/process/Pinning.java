package org.tamanoir.benchmarks.process;

import java.time.Duration;
import java.util.List;
import org.tamanoir.lab.Command;

/** Binds running processes to CPUs. */
public final class Pinning {
    private Pinning() {
    }

    /** All CPUs of this machine, as {@code taskset -c} takes them. */
    public static String all() {
        int count = Runtime.getRuntime().availableProcessors();
        return count == 1 ? "0" : "0-" + (count - 1);
    }

    /** Binds all threads of a process; one that has just ended is no error. */
    static void pin(long pid, String cpus) {
        Command.tryRun(List.of("taskset", "--all-tasks", "--cpu-list", "--pid", cpus, Long.toString(pid)), null, Duration.ofSeconds(10));
    }
}
