package org.tamanoir.cluster.engine;

/**
 * How an engine is.
 *
 * @param carries whether the director carries the plan that was applied last
 * @param why     this engine was chosen: {@code the kernel has IPVS}, {@code the kernel has no IPVS (…)}
 * @param role    {@code master}, {@code backup} or {@code alone}, and {@code unknown} before it is known
 * @param problem what is wrong, with its EE-code; null if nothing is
 */
public record EngineStatus(boolean carries, String why, String role, String problem) {
}
