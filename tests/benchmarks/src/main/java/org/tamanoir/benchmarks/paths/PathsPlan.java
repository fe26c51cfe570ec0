package org.tamanoir.benchmarks.paths;

import org.tamanoir.benchmarks.parts.Rounds;

/**
 * What all parts of {@code bench paths} are told.
 *
 * @param rounds how often, and how long a measurement counts
 * @param seed   of what is random
 * @param quick  whether smaller cases will do
 */
public record PathsPlan(Rounds rounds, long seed, boolean quick) {
}
