package org.tamanoir.repository.mirror;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/**
 * What is mirrored, and how.
 *
 * @param upstream the URL of a repository
 * @param every from one look at its index to the next; 1 s to a day
 * @param maxOctets of all bundles together; what goes beyond is not fetched
 * @param maxBundle octets of the largest bundle
 * @param firstRetry the wait after a failure; doubled with each one that follows
 * @param longestRetry the longest such wait
 * @param transfer the longest time for one request; what has come by then stays, and the rest is asked for again
 */
public record MirrorSettings(String upstream, Duration every, long maxOctets, long maxBundle, Duration firstRetry, Duration longestRetry,
        Duration transfer) {
    /** 16 GiB. */
    public static final long DEFAULT_MAX_OCTETS = 16L << 30;

    /** @throws AnepException EE-408 if the upstream is no URL, EE-501 if a time or size is out of range */
    public MirrorSettings {
        upstream = HttpFetch.of(upstream, ErrorCode.REPOSITORY_UNREACHABLE).base().toString();
        if (every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(Duration.ofDays(1)) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a mirror looks at its upstream every 1s to 24h, not every " + every.toMillis()
                    + " ms");
        }
        if (maxOctets < 1 || maxBundle < 1) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "a mirror needs room for bundles");
        }
    }

    /** Every minute, 16 GiB, retries after 1 s to 5 min, a minute for one request. */
    public static MirrorSettings of(String upstream, long maxBundle) {
        return new MirrorSettings(upstream, Duration.ofMinutes(1), DEFAULT_MAX_OCTETS, maxBundle, Duration.ofSeconds(1), Duration.ofMinutes(5),
                Duration.ofMinutes(1));
    }

    public MirrorSettings withEvery(Duration interval) {
        return new MirrorSettings(upstream, interval, maxOctets, maxBundle, firstRetry, longestRetry, transfer);
    }

    public MirrorSettings withMaxOctets(long octets) {
        return new MirrorSettings(upstream, every, octets, maxBundle, firstRetry, longestRetry, transfer);
    }

    public MirrorSettings withRetries(Duration first, Duration longest) {
        return new MirrorSettings(upstream, every, maxOctets, maxBundle, first, longest, transfer);
    }

    public MirrorSettings withTransfer(Duration longest) {
        return new MirrorSettings(upstream, every, maxOctets, maxBundle, firstRetry, longestRetry, longest);
    }
}
