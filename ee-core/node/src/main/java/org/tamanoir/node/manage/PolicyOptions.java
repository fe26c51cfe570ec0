package org.tamanoir.node.manage;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.FailurePolicy;
import org.tamanoir.node.service.ServicePolicy;

/** Limits and failure policy of one service, as they are written; what is not written is preset. See {@link ServicePolicy}. */
public final class PolicyOptions {
    /** restart, bypass or drop; the service's own default if it is not written. */
    public String onFailure;
    /** Of one call. */
    public String timeout;
    /** Streams of one version at the same time. */
    public Integer streams;
    /** Octets of packets that one version may hold. */
    public Long memoryBytes;
    /** Octets that may wait for the threads of a heavy service. */
    public Long queueBytes;
    /** Failures within {@code window} that open the circuit. */
    public Integer failures;
    public String window;
    /** The first pause before the service is started anew. */
    public String backOff;
    public String mostBackOff;

    /** @param service for messages */
    ServicePolicy over(ServicePolicy preset, String service) {
        String where = "policies: " + service + ": ";
        FailurePolicy policy = onFailure == null ? preset.onFailure() : FailurePolicy.of(onFailure)
                .orElseThrow(() -> new AnepException(ErrorCode.BAD_CONFIGURATION, where + "on-failure is '" + onFailure + "'; it is one of "
                        + FailurePolicy.words()));
        return new ServicePolicy(policy, time(where + "timeout", timeout, preset.timeout()),
                (int) number(where + "streams", streams, preset.streams()), number(where + "memory-bytes", memoryBytes, preset.memoryBytes()),
                number(where + "queue-bytes", queueBytes, preset.queueBytes()), (int) number(where + "failures", failures, preset.failures()),
                time(where + "window", window, preset.window()), time(where + "back-off", backOff, preset.backOff()),
                time(where + "most-back-off", mostBackOff, preset.mostBackOff()));
    }

    private static Duration time(String name, String text, Duration preset) {
        return text == null ? preset : NodeConfiguration.time(name, text);
    }

    private static long number(String name, Number value, long preset) {
        return value == null ? preset : NodeConfiguration.atLeastOne(name, value.longValue());
    }
}
