package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.positive;

import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.module.WasmLimits;

/** {@code wasm:} of a policy: what a service in WebAssembly may take; see {@link WasmLimits}. Null is preset. */
record WasmSection(Duration callTime, Duration startTime, Long instanceBytes, Integer hostCalls, Integer outputRatio) {
    private static final long MOST_BYTES = 1L << 30;

    WasmSection {
        positive("call-time", callTime);
        positive("start-time", startTime);
        positive("instance-bytes", instanceBytes);
        positive("host-calls", hostCalls);
        positive("output-ratio", outputRatio);
        if (instanceBytes != null && (instanceBytes % WasmLimits.PAGE != 0 || instanceBytes > MOST_BYTES)) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "instance-bytes: memory comes in pages of " + WasmLimits.PAGE + " octets, up to " + MOST_BYTES + ", and this is " + instanceBytes);
        }
    }

    WasmLimits over(WasmLimits preset) {
        return preset.callTime(or(callTime, preset.callTime())).startTime(or(startTime, preset.startTime()))
                .pages(instanceBytes == null ? preset.pages() : (int) (instanceBytes / WasmLimits.PAGE))
                .hostCalls(or(hostCalls, preset.hostCalls())).outputRatio(or(outputRatio, preset.outputRatio()));
    }
}
