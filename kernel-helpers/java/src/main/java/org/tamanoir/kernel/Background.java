package org.tamanoir.kernel;

import com.sun.jna.NativeLibrary;
import com.sun.jna.ptr.IntByReference;
import java.util.concurrent.ThreadFactory;

/**
 * Threads whose work may wait. The kernel runs them where nobody else wants the processor (SCHED_IDLE, sched(7)): a thread that forwards packets takes it from
 * them at once, where it would have to wait for another's slice of some milliseconds. While all processors are busy they get very little.
 */
public final class Background {
    private static final int THIS_THREAD = 0;
    private static final int SCHED_IDLE = 5;

    private Background() {
    }

    /** Daemon threads of that name. Where the kernel does not take it they are ordinary ones. */
    public static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(() -> {
                yieldToOthers();
                task.run();
            }, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private static void yieldToOthers() {
        KernelLibrary.useTemporaryFolder();
        try {
            NativeLibrary.getInstance("c").getFunction("sched_setscheduler").invokeInt(new Object[] {THIS_THREAD, SCHED_IDLE, new IntByReference(0)});
        } catch (LinkageError | RuntimeException e) {
            // No JNA here: then they are ordinary threads, as where the kernel refuses.
        }
    }
}
