package org.tamanoir.node.tuning;

import java.util.List;
import org.tamanoir.node.transport.SocketTuning;

/**
 * How legs of a kind are tuned.
 *
 * @param proves whether it has to prove itself: half of the legs go without it until it has, and it is taken back if it harms
 */
public record TuneRule(String name, LegMatch match, SocketTuning tuning, boolean proves) {
    /** The rule before it that takes every leg that it is for; null for none. */
    public static TuneRule shadow(List<TuneRule> before, LegMatch match) {
        return before.stream().filter(rule -> rule.match.covers(match)).findFirst().orElse(null);
    }

    /** {@code long-path: to 203.0.113.0/24: bbr}. */
    @Override
    public String toString() {
        return name + ": " + match + ": " + tuning + (proves ? "" : ", without probation");
    }
}
