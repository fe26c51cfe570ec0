package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.positive;

import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.destination.DestinationRules;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;

/** One of {@code policies:} of the configuration: limits and failure policy of one service; see {@link ServicePolicy}. Null is preset. */
public record PolicySection(FailurePolicy onFailure, Duration timeout, Integer streams, Long memoryBytes, Long queueBytes, Integer failures,
                            Duration window, Duration backOff, Duration mostBackOff, Long blocksBytes, List<String> reaches, Integer connections,
                            Long heapBytes, Integer threads, WorkersSection workers, WasmSection wasm) {
    private static final int MOST_FAILURES = 100_000;

    public PolicySection {
        positive("timeout", timeout);
        positive("streams", streams);
        positive("memory-bytes", memoryBytes);
        positive("queue-bytes", queueBytes);
        positive("blocks-bytes", blocksBytes);
        positive("connections", connections);
        positive("heap-bytes", heapBytes);
        positive("threads", threads);
        positive("failures", failures);
        if (failures != null && failures > MOST_FAILURES) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "failures: a node remembers the time of each, at most " + MOST_FAILURES + ", and this is " + failures);
        }
        positive("window", window);
        positive("back-off", backOff);
        positive("most-back-off", mostBackOff);
        rules(reaches);
    }

    static FailurePolicy failurePolicy(String word) {
        return FailurePolicy.of(word).orElseThrow(() -> new AnepException(ErrorCode.BAD_CONFIGURATION, "it is '" + word + "'; it is one of "
                + FailurePolicy.words()));
    }

    private static DestinationRules rules(List<String> reaches) {
        try {
            return reaches == null ? null : DestinationRules.of(reaches, List.of());
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "reaches: " + e.text(), e);
        }
    }

    ServicePolicy over(ServicePolicy preset) {
        return new ServicePolicy(or(onFailure, preset.onFailure()), or(timeout, preset.timeout()), or(streams, preset.streams()),
                or(memoryBytes, preset.memoryBytes()), or(queueBytes, preset.queueBytes()), or(failures, preset.failures()),
                or(window, preset.window()), or(backOff, preset.backOff()), or(mostBackOff, preset.mostBackOff()), or(blocksBytes, preset.blocksBytes()),
                or(rules(reaches), preset.reaches()), or(connections, preset.connections()), or(heapBytes, preset.heapBytes()),
                or(threads, preset.threads()), workers == null ? preset.workers() : workers.over(preset.workers()),
                wasm == null ? preset.wasm() : wasm.over(preset.wasm()));
    }
}
