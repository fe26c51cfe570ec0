package org.tamanoir.client.session;

/**
 * What lost legs have cost.
 *
 * @param resumptions legs after the first on which the session went on
 * @param sentAgain   octets that were sent more than once
 * @param stalled     nanoseconds without a leg
 */
public record Losses(long resumptions, long sentAgain, long stalled) {
}
