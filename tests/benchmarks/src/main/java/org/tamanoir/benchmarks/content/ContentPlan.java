package org.tamanoir.benchmarks.content;

import org.tamanoir.benchmarks.parts.Rounds;

/**
 * What all parts of {@code bench content} are told.
 *
 * @param rounds how often, and how long a measurement counts
 * @param seed   of what is random
 * @param quick  whether smaller cases will do
 */
public record ContentPlan(Rounds rounds, long seed, boolean quick) {
}
