package org.tamanoir.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * SIGINT and SIGTERM for a command that has something to say when it is asked to end: the signal asks, the command's own thread goes on to
 * its last line, and the process ends with {@link ExitCode#FAILED}, or with {@link ExitCode#DONE} if everything was done before.
 */
final class Interruption implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 5;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;
    private volatile boolean happened;
    private volatile int exit = ExitCode.FAILED;

    /** @param stop asks for the end and returns */
    Interruption(Runnable stop) {
        hook = new Thread(() -> {
            happened = true;
            stop.run();
            try {
                finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            // Without this the JVM's exit code would be 128 and the signal's number.
            Runtime.getRuntime().halt(exit);
        }, "interruption");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Whether the process was asked to end. */
    boolean happened() {
        return happened;
    }

    /** Waits before another look. @return whether to have it: nobody has interrupted this thread */
    static boolean slept(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Everything was done, whether somebody asked for the end or not. */
    void done() {
        exit = ExitCode.DONE;
    }

    /** Everything was said. */
    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook ends it.
        }
    }
}
