/**
 * Reliable multicast for applications: {@link org.tamanoir.client.multicast.MulticastSender} sends files to many receivers at once,
 * {@link org.tamanoir.client.multicast.MulticastReceiver} takes them. Both drive the cores of {@code org.tamanoir.dyram} with Netty's
 * sockets and timers; {@link org.tamanoir.client.multicast.file} has the files.
 *
 * <p>May use {@code org.tamanoir.client.wire}, {@code org.tamanoir.dyram}, {@code org.tamanoir.anep} and Netty.
 */
package org.tamanoir.client.multicast;
