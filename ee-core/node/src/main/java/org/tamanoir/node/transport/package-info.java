/**
 * Sockets and buffers. Listeners and connectors for TCP and UDP, the receive buffers that make passing a packet free of copies, and the
 * writers that put runs of packets back on a wire.
 *
 * <p>Knows ANEP's framing, and neither streams nor services. The choices made here are measured in {@code docs/performance.md}.
 */
package org.tamanoir.node.transport;
