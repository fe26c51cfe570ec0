package org.tamanoir.paths.verdict;

/**
 * What a node knows of a stream by itself. All counters begin with the stream, and never go back.
 *
 * @param serviceNanos   spent in services, or waited for their threads
 * @param pausedNanos    in which it did not read from the source, since something behind it was full
 * @param classNanos     in which packets waited for tokens of their class, or were dropped for want of them
 * @param queuedOctets   that wait in the node now
 * @param octets         that have come from the source
 */
public record NodeTimes(long serviceNanos, long pausedNanos, long classNanos, long queuedOctets, long octets) {
    public static final NodeTimes NOTHING = new NodeTimes(0, 0, 0, 0, 0);
}
