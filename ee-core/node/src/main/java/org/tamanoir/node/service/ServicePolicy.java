package org.tamanoir.node.service;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tamanoir.identity.destination.DestinationRules;
import org.tamanoir.wasm.module.WasmLimits;

/**
 * What one service may take, and what happens when it fails.
 *
 * @param onFailure   restart, bypass or drop
 * @param timeout     of one call
 * @param streams     streams that may use one version at the same time
 * @param memoryBytes octets of packets that one version may hold: retained ones, and buffers from {@code Output.allocator()}
 * @param queueBytes  octets that may wait for the threads of a heavy service, all its streams together; beyond it peers wait
 * @param failures    failures within {@code window} that open the circuit
 * @param backOff     the first pause before it is restarted; doubles each time up to {@code mostBackOff}
 * @param blocksBytes octets of {@link org.tamanoir.service.Blocks} on the disk, all its versions together
 * @param heapBytes   octets of the heap that one version may hold
 * @param threads     that one version may start by itself
 * @param reaches     where one may open connections to ({@link org.tamanoir.service.connection.Connections})
 * @param connections that one version may have open at the same time
 * @param workers     programs that one may run ({@link org.tamanoir.service.worker.Workers})
 * @param wasm        what its module may take, if it is one in WebAssembly
 */
public record ServicePolicy(FailurePolicy onFailure, Duration timeout, int streams, long memoryBytes, long queueBytes, int failures,
                            Duration window, Duration backOff, Duration mostBackOff, long blocksBytes, DestinationRules reaches, int connections, long heapBytes, int threads,
                            WorkerLimits workers, WasmLimits wasm) {
    /** Of {@code blocksBytes}, unless the operator says otherwise. */
    public static final long BLOCKS_BYTES = 1L << 30;

    private static final int GUEST_STREAMS = 100;
    private static final long GUEST_BYTES = 64L << 20;

    /** Presets; {@code timeout} is the node's {@code service-timeout}. */
    public static ServicePolicy preset(FailurePolicy onFailure, Duration timeout) {
        return new ServicePolicy(onFailure, timeout, Integer.MAX_VALUE, 64L << 20, 64L << 20, 10, Duration.ofSeconds(10),
                Duration.ofSeconds(1), Duration.ofMinutes(1), BLOCKS_BYTES, DestinationRules.of(List.of(), List.of()), 64, Runtime.getRuntime().maxMemory() / 4, 16,
                WorkerLimits.PRESET, WasmLimits.PRESET);
    }

    /** The same for the service of a guest, unless the operator says otherwise: no more than {@value #GUEST_STREAMS} streams, and {@value #GUEST_BYTES} octets of packets, and of the memory of its instances. */
    public ServicePolicy ofGuest() {
        return new ServicePolicy(onFailure, timeout, GUEST_STREAMS, Math.min(memoryBytes, GUEST_BYTES), Math.min(queueBytes, GUEST_BYTES), failures, window, backOff, mostBackOff,
                blocksBytes, reaches, connections, Math.min(heapBytes, GUEST_BYTES), threads, workers, wasm);
    }

    /** What becomes of streams when a service fails them. */
    public enum FailurePolicy {
        /** The stream ends with an error; a service that fails often is restarted, with growing pauses, and nobody gets it meanwhile. */
        RESTART,
        /** The stream goes on without the service. For services that streams can do without, such as monitoring. */
        BYPASS,
        /** The stream goes on, and the packets that the service should have seen are dropped. For services that must not be passed by. */
        DROP;

        /** The word in configurations and manifests; empty for one that is none. */
        public static Optional<FailurePolicy> of(String word) {
            return Arrays.stream(values()).filter(policy -> policy.word().equals(word)).findFirst();
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** What the author of a service may say of it: to throw the packets of others away is the operator's to decide. Empty for anything else. */
        public static Optional<FailurePolicy> declared(String word) {
            return of(word).filter(policy -> policy != DROP);
        }

        /** {@code restart, bypass, drop}. */
        public static String words() {
            return Arrays.stream(values()).map(FailurePolicy::word).collect(Collectors.joining(", "));
        }
    }
}
