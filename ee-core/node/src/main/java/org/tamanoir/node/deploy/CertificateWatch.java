package org.tamanoir.node.deploy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Says that the certificates of publishers whose services run expire soon, once a day for each. Not for more than one thread. */
public final class CertificateWatch {
    /** How long before, so that a new certificate can be handed out. */
    static final Duration AHEAD = Duration.ofDays(30);
    private static final Duration AGAIN = Duration.ofDays(1);

    private final Map<String, Instant> said = new HashMap<>();

    /**
     * Looks at all of them.
     *
     * @param certificates publisher to the time when the certificate expires
     * @param warn         told of a publisher and what is to be said
     */
    void look(Instant now, Map<String, Instant> certificates, BiConsumer<String, String> warn) {
        said.keySet().retainAll(certificates.keySet());
        expiring(now, certificates).forEach((publisher, what) -> {
            Instant last = said.get(publisher);
            if (last == null || !now.isBefore(last.plus(AGAIN))) {
                said.put(publisher, now);
                warn.accept(publisher, what);
            }
        });
    }

    /** Those that expire within 30 days, or have: publisher to what is to be said. */
    public static Map<String, String> expiring(Instant now, Map<String, Instant> certificates) {
        Map<String, String> expiring = new LinkedHashMap<>();
        certificates.forEach((publisher, until) -> {
            if (!until.isAfter(now.plus(AHEAD))) {
                expiring.put(publisher, until.isAfter(now) ? "expires at " + until : "has expired at " + until + "; its services do not start again");
            }
        });
        return expiring;
    }
}
