package org.tamanoir.service.guard;

import java.lang.StackWalker.Option;

/**
 * Stands where service code would end the process. A node weaves these calls in place of {@link System#exit}, {@link Runtime#exit} and
 * {@link Runtime#halt}: a bundle that comes from a program of its own often has one, and all streams of the node would end with it.
 */
public final class ExitGuard {
    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    private ExitGuard() {
    }

    /** In place of {@link System#exit}. @throws ExitRefused always */
    public static void exit(int status) {
        throw new ExitRefused(STACK.getCallerClass(), "System.exit(" + status + ")");
    }

    /** In place of {@link Runtime#exit}. @throws ExitRefused always */
    public static void exit(Runtime runtime, int status) {
        throw new ExitRefused(STACK.getCallerClass(), "Runtime.exit(" + status + ")");
    }

    /** In place of {@link Runtime#halt}. @throws ExitRefused always */
    public static void halt(Runtime runtime, int status) {
        throw new ExitRefused(STACK.getCallerClass(), "Runtime.halt(" + status + ")");
    }

    /** Thrown inside a service that would have ended the node; an error, so that {@code catch (Exception)} lets it pass. */
    public static final class ExitRefused extends Error {
        ExitRefused(Class<?> caller, String call) {
            super(caller.getName() + " calls " + call + ", which would end the whole node");
        }

        /** The message says it all. */
        @Override
        public String toString() {
            return getMessage();
        }
    }
}
