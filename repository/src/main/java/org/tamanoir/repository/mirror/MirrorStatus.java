package org.tamanoir.repository.mirror;

import java.util.List;

/**
 * How a mirror is doing. Times are milliseconds of the clock that the core is given.
 *
 * @param state {@code starting} before the upstream has answered once, {@code current}, {@code behind} while something is missing,
 *     {@code unreachable} when the last look or transfer failed
 * @param contact when the upstream last answered a look; -1 for never
 * @param complete when the mirror last had everything that was offered; -1 for never
 * @param missing versions that are offered and not here
 * @param conflicts versions that are offered with other content than is here
 * @param refused versions that were fetched and not taken
 * @param problem the last failure in words; null if there is none now
 * @param looks answers to looks at the index
 * @param failures looks and transfers that failed
 * @param fetched bundles that were fetched and taken
 * @param octets of bundles that have come, those of broken transfers too
 */
public record MirrorStatus(String state, long contact, long complete, int missing, List<Trouble> conflicts, List<Trouble> refused,
        String problem, long looks, long failures, long fetched, long octets) {
}
