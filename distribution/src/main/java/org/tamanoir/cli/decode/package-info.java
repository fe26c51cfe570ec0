/**
 * Packets on paper: a file as a stream of packets, and each of them as text or JSON.
 *
 * <p>May use {@code org.tamanoir.anep} and Jackson; the commands use it.
 */
package org.tamanoir.cli.decode;
