/**
 * {@code bench relay}: one node with {@code monitoring} beside ordinary relays and a router, on the same wires with the same load.
 *
 * <p>{@link org.tamanoir.benchmarks.relay.RelayTestbed} is the network, {@link org.tamanoir.benchmarks.relay.RelayKind} lists what is
 * compared, {@link org.tamanoir.benchmarks.relay.RelayComparison} runs the rounds.
 */
package org.tamanoir.benchmarks.relay;
