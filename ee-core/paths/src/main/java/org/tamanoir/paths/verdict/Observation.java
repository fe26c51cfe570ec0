package org.tamanoir.paths.verdict;

/**
 * A stream at one moment.
 *
 * @param nanos  of any clock that does not go back
 * @param before the connection from the source, on which the node receives
 * @param after  the connection to the next hop or the destination, on which it sends; null if there is none
 * @param source what the source reports of its own end of {@code before}; null if it reports nothing: then what happens there is seen from afar
 * @param node   the node's own times
 */
public record Observation(long nanos, TcpState before, TcpState after, TcpState source, NodeTimes node) {
}
