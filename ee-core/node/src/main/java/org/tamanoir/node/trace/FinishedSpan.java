package org.tamanoir.node.trace;

import java.util.Map;

/**
 * A span that is over: of a stream on this node, or of a step of it.
 *
 * @param traceHigh  first 64 bits of the id of the trace
 * @param traceLow   last 64 bits of it
 * @param id         of the span; not 0
 * @param parent     the id of the span that it belongs to; 0 for the first of the trace
 * @param isStep     whether it is a step of a stream, and no stream
 * @param startNanos nanoseconds since 1970
 * @param endNanos   nanoseconds since 1970, not before the start
 * @param attributes values are texts, whole numbers, or lists of texts
 * @param events     nanoseconds since 1970 by the name of what happened
 * @param error      why it failed; null for a good end
 */
public record FinishedSpan(long traceHigh, long traceLow, long id, long parent, boolean isStep, String name, long startNanos, long endNanos,
                           Map<String, Object> attributes, Map<String, Long> events, String error) {
}
