package org.tamanoir.services.qosenforcement;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;

/**
 * The options of the service.
 *
 * @param sessions    that may have a share at the same time
 * @param burst       the bucket of a flow that has not said its own, as a time at its rate
 * @param peakBurst   what may pass at once over a peak rate, as a time at that rate, besides the largest packet: timers are not exact
 * @param spareBurst  the bucket of what is not allocated in a class, as a time at the capacity of the class
 * @param excessBurst the second bucket in a class with drop precedence (RFC 2697), per cent of the first
 */
record EnforcementSettings(int sessions, Duration burst, Duration peakBurst, Duration spareBurst, int excessBurst) {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** @throws AnepException EE-501 */
    static EnforcementSettings of(Configuration options) {
        return new EnforcementSettings(options.integer("sessions", 262_144, 1, 10_000_000), time(options, "burst", Duration.ofMillis(20)),
                time(options, "peak-burst", Duration.ofMillis(2)), time(options, "spare-burst", Duration.ofMillis(20)),
                options.integer("excess-burst", 100, 0, 1000));
    }

    private static Duration time(Configuration options, String name, Duration preset) {
        Duration time = options.duration(name, preset);
        if (time.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 0ms to 10s");
        }
        return time;
    }
}
