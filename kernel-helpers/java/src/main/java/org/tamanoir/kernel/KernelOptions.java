package org.tamanoir.kernel;

/**
 * For which node the kernel works, and how much room it gets.
 *
 * @param nodeId    written into the previous-node option, where a packet has one
 * @param port      the node's UDP port, 1 to 65,535
 * @param codePort  of its code server; 0: none
 * @param rules     slots for rules, 1 to 65,536
 * @param flows     slots for flows, 1 to 1,048,576
 * @param testClock whether meters go by {@link Kernel#clock} and not by the kernel's clock; for tests
 */
public record KernelOptions(long nodeId, int port, int codePort, int rules, int flows, boolean testClock) {
}
