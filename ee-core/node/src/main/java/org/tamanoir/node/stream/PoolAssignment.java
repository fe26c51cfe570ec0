package org.tamanoir.node.stream;

import org.tamanoir.node.routing.Pool;

/**
 * Who serves a stream in the place of this node.
 *
 * @param because which of its services is theirs, and why
 */
public record PoolAssignment(Pool pool, String because) {
}
