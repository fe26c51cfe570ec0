package org.tamanoir.benchmarks.soak;

/**
 * One stream as its source saw it.
 *
 * @param id       in its first packet
 * @param udp      or else TCP
 * @param lasting  whether it was to live through the whole run
 * @param sent     packets that were given to the kernel
 * @param broken   why it did not end as it was to, or null: an error packet, a reset, an end before its time
 */
public record SentStream(long id, boolean udp, boolean lasting, long sent, String broken) {
}
