package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;

/** How a server of the command line ends: SIGTERM and SIGINT stop it in order, and the exit code is {@link ExitCode#DONE}. */
final class ServerExit {
    private ServerExit() {
    }

    /**
     * Says that it is ready, waits for the process to be asked to end, then calls {@code stop} and ends it. Does not return.
     *
     * @param ready the line for whoever waits for it, who may ask for the end as soon as it is there
     * @param stop  ends everything that serves
     */
    static void untilStopped(PrintWriter out, String ready, Runnable stop) throws InterruptedException {
        Thread hook = new Thread(() -> {
            int exit = ExitCode.FAILED;
            ServiceManager.stopping();
            try {
                stop.run();
                exit = ExitCode.DONE;
            } finally {
                // Without this the JVM's exit code would be 128 and the signal's number.
                Runtime.getRuntime().halt(exit);
            }
        }, "stop");
        Runtime.getRuntime().addShutdownHook(hook);
        out.println(ready);
        out.flush();
        ServiceManager.ready();
        new CountDownLatch(1).await();
    }
}
