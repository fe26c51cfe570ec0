package org.tamanoir.services.qosenforcement;

import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Meter;

/** How a packet stands to the profile of its session, whatever kind of meter that is. */
enum Conformance {
    /** Green. */
    IN_PROFILE,
    /** In the second bucket of one rate (RFC 2697): what the session has not used before, so it is its own. */
    SECOND_BURST,
    /** Over the committed rate, under the peak (RFC 2698): not its own. */
    UNDER_PEAK,
    /** Over the profile. */
    OVER,
    /** Over the peak rate: it never passes. */
    OVER_PEAK;

    static Conformance of(Meter meter, Colour colour) {
        boolean two = meter instanceof Meter.TwoRate;
        return switch (colour) {
            case GREEN -> IN_PROFILE;
            case YELLOW -> two ? UNDER_PEAK : SECOND_BURST;
            case RED -> two ? OVER_PEAK : OVER;
        };
    }
}
