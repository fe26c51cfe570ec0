/**
 * Packets on a channel: finds them in what arrives without a copy ({@link org.tamanoir.client.wire.PacketInbound}), puts headers before
 * payloads where they stand ({@link org.tamanoir.client.wire.Packetizer}), and chooses event loops.
 *
 * <p>For the packages beside it, not for applications. May use {@code org.tamanoir.anep} and Netty; knows no streams.
 */
package org.tamanoir.client.wire;
