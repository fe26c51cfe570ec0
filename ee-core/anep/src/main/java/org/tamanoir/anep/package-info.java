/**
 * The Active Network Encapsulation Protocol: packets, options, and their form on the wire.
 *
 * <p>A {@link org.tamanoir.anep.Packet} is a view on the octets it came in; {@link org.tamanoir.anep.PacketBuilder} writes one.
 * {@link org.tamanoir.anep.Framing} finds packets in a stream of octets. The field tables are in {@code docs/anep.md}.
 *
 * <p>This package may use Netty's buffers and nothing else: it opens no socket and knows no service.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.anep;
