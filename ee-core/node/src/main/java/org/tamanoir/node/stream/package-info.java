/**
 * A stream from its first packet to its close: opening it, putting its packets through its services in both directions, back-pressure,
 * limits, and what its peers are told when something goes wrong.
 *
 * <p>{@link org.tamanoir.node.stream.Streams} is the way in. A stream lives on one event loop; only heavy services leave it.
 */
package org.tamanoir.node.stream;
