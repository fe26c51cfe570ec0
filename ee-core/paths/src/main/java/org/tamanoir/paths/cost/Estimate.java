package org.tamanoir.paths.cost;

import java.util.List;

/**
 * What a cost function says of a path.
 *
 * @param value   in the unit of the function; what {@link CostFunction#unknown} is if nothing is known
 * @param error   by how much it may be more or less in 68 of 100 cases, in the same unit
 * @param isKnown whether anything is known
 * @param why     the rule, then the samples with their ages, a line each
 */
public record Estimate(String from, String to, double value, double error, boolean isKnown, List<String> why) {
    public Estimate {
        why = List.copyOf(why);
    }
}
