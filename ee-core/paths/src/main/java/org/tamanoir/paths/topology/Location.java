package org.tamanoir.paths.topology;

import java.util.List;

/**
 * Where a host was found.
 *
 * @param host   that was asked for
 * @param domain null if it is in none
 * @param why    one sentence for people: the entry or rule, or what there is not
 * @param others further domains whose rules the host matches: their rules stand behind, and are not what somebody meant, or the order is wrong
 */
public record Location(String host, Domain domain, String why, List<String> others) {
    public boolean isKnown() {
        return domain != null;
    }

    /** Whether the rules of several domains match it. */
    public boolean isAmbiguous() {
        return !others.isEmpty();
    }
}
