package org.tamanoir.node.service;

import java.time.Duration;

/**
 * What one service may take, and what happens when it fails.
 *
 * @param onFailure   restart, bypass or drop
 * @param timeout     of one call
 * @param streams     streams that may use one version at the same time
 * @param memoryBytes octets of packets that one version may hold: retained ones, and buffers from {@code Output.allocator()}
 * @param queueBytes  octets that may wait for the threads of a heavy service, all its streams together; beyond it peers wait
 * @param failures    failures within {@code window} that open the circuit
 * @param backOff     the first pause before it is started anew; doubles each time up to {@code mostBackOff}
 */
public record ServicePolicy(FailurePolicy onFailure, Duration timeout, int streams, long memoryBytes, long queueBytes, int failures,
                            Duration window, Duration backOff, Duration mostBackOff) {
    /** Presets; {@code timeout} is the node's {@code service-timeout}. */
    public static ServicePolicy preset(FailurePolicy onFailure, Duration timeout) {
        return new ServicePolicy(onFailure, timeout, Integer.MAX_VALUE, 64L << 20, 64L << 20, 10, Duration.ofSeconds(10),
                Duration.ofSeconds(1), Duration.ofMinutes(1));
    }
}
