package org.tamanoir.repository.mirror;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Bundles that were fetched and not taken. They are asked for again, less and less often: whoever is at fault may mend it. */
final class Refusals {
    private static final long FIRST = 600_000;
    private static final long LONGEST = 86_400_000;

    private record Refusal(Offer offer, AnepException reason, int times, long again) {
    }

    private final Map<String, Refusal> bySha256 = new HashMap<>();

    void add(long now, Offer offer, AnepException reason) {
        Refusal before = bySha256.get(offer.sha256());
        int times = before == null ? 0 : before.times() + 1;
        long wait = Math.min(LONGEST, FIRST << Math.min(times, 10));
        bySha256.put(offer.sha256(), new Refusal(offer, reason, times, now + wait));
    }

    /** Whether it is too early to try again. */
    boolean holds(long now, Offer offer) {
        Refusal refusal = bySha256.get(offer.sha256());
        return refusal != null && now < refusal.again();
    }

    void remove(Offer offer) {
        bySha256.remove(offer.sha256());
    }

    /** Forgets what the upstream does not offer any more. */
    void retain(Set<String> sha256) {
        bySha256.keySet().retainAll(sha256);
    }

    /** Forgets those that were refused for their publisher. */
    void removeUntrusted() {
        bySha256.values().removeIf(refusal -> {
            int code = refusal.reason().code().number();
            return code >= ErrorCode.UNSIGNED.number() && code <= ErrorCode.REVOKED.number();
        });
    }

    List<Trouble> list() {
        return bySha256.values().stream().map(refusal -> Trouble.of(refusal.offer(), refusal.reason())).toList();
    }
}
