package org.tamanoir.kernel;

import com.sun.jna.NativeLibrary;
import com.sun.jna.ptr.IntByReference;

/**
 * How the kernel shares processors between this process's threads (sched(7)): Java's own priorities do nothing on Linux. Each method is about the
 * thread that calls it. Where the kernel does not know or allow what is asked, or there is no JNA, the thread stays an ordinary one.
 */
public final class ThreadScheduling {
    private static final int THIS_THREAD = 0;
    private static final int SCHED_IDLE = 5;
    private static final int PRIO_PROCESS = 0;
    private static final int NICE = 5;

    private ThreadScheduling() {
    }

    /** Gives way to all others: it runs when nobody else wants to (SCHED_IDLE). While all processors are busy it gets next to nothing. */
    static void giveWay() {
        call("sched_setscheduler", THIS_THREAD, SCHED_IDLE, new IntByReference(0));
    }

    /** Stands back behind ordinary threads: while all processors are busy it has a third of the time of one that competes with it. */
    public static void standBack() {
        call("setpriority", PRIO_PROCESS, THIS_THREAD, NICE);
    }

    /** Calls a function of the C library; what it answers is not looked at. */
    private static void call(String function, Object... arguments) {
        KernelLibrary.useTemporaryFolder();
        try {
            NativeLibrary.getInstance("c").getFunction(function).invokeInt(arguments);
        } catch (LinkageError | RuntimeException e) {
            // There is no JNA here, or no such function: then it is an ordinary thread.
        }
    }
}
