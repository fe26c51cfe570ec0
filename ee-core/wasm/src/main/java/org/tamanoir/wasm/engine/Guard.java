package org.tamanoir.wasm.engine;

import org.tamanoir.service.brake.Brakes;

/**
 * Called by compiled modules in every loop and at every call, in place of a question whether the thread was interrupted. It costs one read of
 * a flag while nobody is to be stopped.
 */
public final class Guard {
    private Guard() {
    }

    /** Ends the module that this thread is in, if the watch says so. */
    public static void check() {
        if (Brakes.isOn()) {
            throw new Stopped();
        }
    }

    /** Thrown inside a module that is to end. It has no stack: a module may have made that deep. */
    public static final class Stopped extends Error {
        Stopped() {
            super("the module is to end", null, false, false);
        }
    }
}
