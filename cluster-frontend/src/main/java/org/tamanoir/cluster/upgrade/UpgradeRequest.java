package org.tamanoir.cluster.upgrade;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.Welcome.Order;

/**
 * What an operator wants of all back ends.
 *
 * @param service its name
 * @param version that is wanted, also an older one; null for the newest that the first back end finds
 * @param drain   how long each has for its streams; zero for changes in place
 */
public record UpgradeRequest(String service, String version, Duration drain) {
    /** Enough for most streams; those that last longer go on beside the change. */
    public static final Duration DRAIN = Duration.ofSeconds(30);

    /**
     * Checks what can be checked before anybody is asked.
     *
     * @param drain null for {@link #DRAIN}, or as much of it as the front-end's own drain leaves room for
     * @throws AnepException EE-408
     */
    public static UpgradeRequest of(String service, String version, Duration drain, Timing timing) {
        if (service == null || service.isBlank()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "an upgrade is {\"service\": \"compression\", \"version\": \"1.2.0\", \"drain\": \"30s\"}; "
                    + "version and drain need not be there");
        }
        if (version != null && !ReportReader.VERSION.matcher(version).matches()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "version must be one such as 1.0.0");
        }
        Duration most = most(timing);
        if (drain != null && (drain.isNegative() || drain.compareTo(most) > 0)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "drain is " + seconds(drain) + "; it may be " + seconds(most) + " at most: a back end may be away "
                    + "for twice as long, and after this front-end's own drain, " + seconds(timing.drain()) + ", the streams that it still has are cut");
        }
        return new UpgradeRequest(service, version, drain != null ? drain : DRAIN.compareTo(most) < 0 ? DRAIN : most);
    }

    /** Twice as long and a lease is not longer than the director lets a back end keep its streams. */
    static Duration most(Timing timing) {
        Duration room = timing.drain().minus(timing.lease()).dividedBy(2);
        Duration most = Duration.ofMillis(Order.MOST_DRAIN);
        return room.isNegative() ? Duration.ZERO : room.compareTo(most) < 0 ? room : most;
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }
}
