package org.tamanoir.node.service;

import java.time.Duration;
import java.util.List;

/**
 * What the operator lets a service run beside the node.
 *
 * @param programs    by name, or by a path below {@code /usr}; none by default
 * @param count       that one version may have running at the same time
 * @param memoryBytes that one worker may take, all its processes together
 * @param cpus        that one worker may use at the same time; 0 for as many as the node has
 * @param stall       how long a worker may do nothing while octets wait for it, or its input is closed
 */
public record WorkerLimits(List<String> programs, int count, long memoryBytes, int cpus, Duration stall) {
    /** Nothing may be run. */
    public static final WorkerLimits PRESET = new WorkerLimits(List.of(), 4, 512L << 20, 0, Duration.ofSeconds(30));
}
