/**
 * Sessions that outlive the nodes on their way: what both ends remember, so that nodes need to remember nothing.
 *
 * <p>A session is two directions of octets between two ends. It runs over one chain of nodes at a time, called a leg. When a leg dies the end that
 * opened the session opens another one, by the same or another next hop, with the next <i>epoch</i>. Each end says up to which octet it has everything,
 * and the other goes on there, from a ring that holds what was not acknowledged. See decision 0039.
 *
 * <p>{@link org.tamanoir.client.session.SessionEnd} is the core: no clock, no thread, no I/O. {@code org.tamanoir.client.resumable} runs it.
 *
 * <p>May use {@code org.tamanoir.anep} and Netty's buffers.
 */
package org.tamanoir.client.session;
