package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** strace on a process, told to kill it at the entry of one system call: the n-th of its kind that a thread makes on some files. */
final class KillingTracer implements AutoCloseable {
    private final Process process;

    /**
     * Returns when every thread is watched.
     *
     * @param files empty for any file
     * @param log   what strace has to say
     */
    KillingTracer(long pid, String call, int count, List<Path> files, Path log) throws IOException {
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-o", log.toString(), "-e", "trace=" + call, "-e", "inject=" + call
                + ":signal=KILL:when=" + count));
        files.forEach(file -> command.addAll(List.of("-P", file.toString())));
        command.addAll(List.of("-p", Long.toString(pid)));
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.resolveSibling(log.getFileName() + ".said").toFile())
                .start();
        await().until(() -> isTraced(pid));
    }

    private static boolean isTraced(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("status")).contains("\nTracerPid:\t0\n")) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Whether the process is gone, and its tracer with it. */
    boolean hasEnded() {
        return !process.isAlive();
    }

    /** Lets the process go, if there still is one. */
    @Override
    public void close() {
        process.destroy();
        if (process.onExit().completeOnTimeout(null, 10, TimeUnit.SECONDS).join() == null) {
            process.destroyForcibly();
        }
    }
}
