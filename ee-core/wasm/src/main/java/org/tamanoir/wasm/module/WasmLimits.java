package org.tamanoir.wasm.module;

import java.time.Duration;

/**
 * What a module may take.
 *
 * @param moduleOctets  of the module itself
 * @param functions     that it may have of its own
 * @param pages         of 64 KiB that one instance may have
 * @param callTime      processor time of one call
 * @param startTime     processor time of the start of an instance
 * @param hostCalls     that one call may make of the node
 * @param outputRatio   octets that a stream may emit for each that came to it
 * @param outputGrace   octets that it may emit beyond that
 * @param logLines      a second
 * @param compileTime   processor time of the compiler
 * @param compileMegabytes of heap for the compiler
 */
public record WasmLimits(int moduleOctets, int functions, int pages, Duration callTime, Duration startTime, int hostCalls, int outputRatio,
        int outputGrace, int logLines, Duration compileTime, int compileMegabytes) {
    /** Octets of a page of memory. */
    public static final int PAGE = 65_536;

    /** What is granted to somebody of whom nothing is known. */
    public static final WasmLimits PRESET = new WasmLimits(8 << 20, 20_000, 256, Duration.ofMillis(4), Duration.ofSeconds(1), 10_000, 4, 65_536, 10,
            Duration.ofSeconds(60), 512);

    /** The same with another number of pages. */
    public WasmLimits pages(int most) {
        return new WasmLimits(moduleOctets, functions, most, callTime, startTime, hostCalls, outputRatio, outputGrace, logLines, compileTime, compileMegabytes);
    }

    /** The same with another time for a call. */
    public WasmLimits callTime(Duration most) {
        return new WasmLimits(moduleOctets, functions, pages, most, startTime, hostCalls, outputRatio, outputGrace, logLines, compileTime, compileMegabytes);
    }

    /** The same with another time for the start of an instance. */
    public WasmLimits startTime(Duration most) {
        return new WasmLimits(moduleOctets, functions, pages, callTime, most, hostCalls, outputRatio, outputGrace, logLines, compileTime, compileMegabytes);
    }

    /** The same with another number of calls of the node. */
    public WasmLimits hostCalls(int most) {
        return new WasmLimits(moduleOctets, functions, pages, callTime, startTime, most, outputRatio, outputGrace, logLines, compileTime, compileMegabytes);
    }

    /** The same with another ratio of output. */
    public WasmLimits outputRatio(int most) {
        return new WasmLimits(moduleOctets, functions, pages, callTime, startTime, hostCalls, most, outputGrace, logLines, compileTime, compileMegabytes);
    }
}
