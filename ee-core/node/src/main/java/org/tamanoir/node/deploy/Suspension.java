package org.tamanoir.node.deploy;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.StandIn;

/**
 * Why streams do not get a service for now: it could not be had, which is remembered for a while, or its circuit is open, which ends with
 * a fresh start after a pause. No clock.
 */
final class Suspension {
    private AnepException failure;
    private long retryAt;
    /** The version whose circuit is open; null if none is. */
    private String version;
    private RunningService standIn;
    private long backOff;

    /** It could not be had. */
    void remember(long now, AnepException why, long nanos) {
        failure = why;
        retryAt = now + (version == null ? nanos : backOff);
    }

    /**
     * The circuit of a version opens: from now on streams get an error, or a stand-in, as its policy says.
     *
     * @param what     it has done
     * @param ranNanos how long it had been current; one that had run for long begins with the first pause again
     * @return what is wrong and what follows
     */
    AnepException open(long now, RunningService service, String what, long ranNanos) {
        ServicePolicy policy = service.policy();
        long first = policy.backOff().toNanos();
        long most = policy.mostBackOff().toNanos();
        backOff = backOff == 0 || ranNanos > most ? first : Math.min(most, 2 * backOff);
        retryAt = now + backOff;
        version = service.version();
        boolean restart = policy.onFailure() == FailurePolicy.RESTART;
        standIn = restart ? null : StandIn.of(service);
        failure = new AnepException(ErrorCode.SERVICE_SUSPENDED, service + ": " + what + "; " + (restart ? "" : "streams go on under the policy " + policy.onFailure().word() + "; ")
                + "it is restarted in " + backOff / 1_000_000 + " ms");
        return failure;
    }

    /** A version is current again, or nothing is wanted any more. */
    void end() {
        failure = null;
        version = null;
        standIn = null;
    }

    /** What streams get instead, or null. */
    RunningService standIn() {
        return standIn;
    }

    /** The version that is to be restarted, or null. */
    String version() {
        return version;
    }

    /** The error that streams get, or null if another attempt is due. */
    AnepException failure(long now) {
        return failure != null && now < retryAt ? failure : null;
    }

    /** Whether the pause before a fresh start is over. */
    boolean isDue(long now) {
        return version != null && now >= retryAt;
    }
}
