/**
 * Streams from the side of applications. {@link org.tamanoir.client.TamanoirClient} opens one through the nodes on its way,
 * {@link org.tamanoir.client.TamanoirReceiver} takes what nodes deliver as ANEP packets; both hand out a
 * {@link org.tamanoir.client.PacketStream}: send, receive, half-close, blocking or not, memory bounded either way.
 *
 * <pre>{@code
 * try (TamanoirClient client = new TamanoirClient();
 *         ClientStream stream = client.open(new StreamRequest().via(node).to(destination).services("monitoring", "compression"))) {
 *     stream.sendFile(path);
 *     stream.complete();        // the far end has everything
 * }
 * }</pre>
 *
 * <p>Over TCP a connection is a stream: the first packet carries the options and no payload, later ones are bare. Over UDP every
 * datagram carries the options, and a datagram without payload, sent three times, marks the end.
 *
 * <p>May use {@code org.tamanoir.client.wire}, {@code org.tamanoir.anep} and Netty.
 */
package org.tamanoir.client;
