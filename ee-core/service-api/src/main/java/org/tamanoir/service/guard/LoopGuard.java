package org.tamanoir.service.guard;

import org.tamanoir.service.brake.Brakes;

/**
 * A brake for service code. A node weaves a call of {@link #check()} into every loop of a bundle, and puts the {@link Brakes} on for a
 * thread that has been inside a service for too long: the next turn of the loop throws. A turn costs one plain read while no brake is on.
 *
 * <p>The JVM has no other way to stop code that runs: {@code Thread.stop} is gone, and an interrupt is only seen by code that waits.
 */
public final class LoopGuard {
    private LoopGuard() {
    }

    /** Woven into the loops of services; whoever else calls it stops nobody but itself. */
    public static void check() {
        if (Brakes.isOn()) {
            throw new ServiceStopped();
        }
    }

    /** Thrown inside a service that has been running for too long; an error, so that {@code catch (Exception)} lets it pass. */
    public static final class ServiceStopped extends Error {
        ServiceStopped() {
            super("the service did not return in time and was stopped");
        }
    }
}
