package org.tamanoir.node.service;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import org.slf4j.LoggerFactory;

/** Lets threads of strangers' code stand back behind those of the node: Java's own priorities do nothing on Linux. */
final class LowPriority {
    /** A third of the processor time of a thread that competes with it ({@code man 7 sched}, nice values). */
    private static final int NICE = 5;
    /** Of {@code setpriority}: with 0 as the number, the calling thread alone. */
    private static final int PRIO_PROCESS = 0;
    private static final boolean THERE = bind();

    private LowPriority() {
    }

    private static boolean bind() {
        try {
            if (Platform.isLinux()) {
                Native.register("c");
                return true;
            }
        } catch (LinkageError e) {
            LoggerFactory.getLogger(LowPriority.class).warn("code of strangers runs with the priority of the node: {}", e.getMessage());
        }
        return false;
    }

    /** Runs a task as the body of a new thread that stands back. */
    static Runnable of(Runnable body) {
        return THERE ? () -> {
            lower();
            body.run();
        } : body;
    }

    private static void lower() {
        try {
            setpriority(PRIO_PROCESS, 0, NICE);
        } catch (LastErrorException e) {
            // A container may forbid the call; the time of a call is bounded all the same.
            LoggerFactory.getLogger(LowPriority.class).debug("a thread keeps its priority", e);
        }
    }

    private static native int setpriority(int which, int who, int nice) throws LastErrorException;
}
