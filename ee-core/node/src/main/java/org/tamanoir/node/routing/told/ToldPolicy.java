package org.tamanoir.node.routing.told;

import java.util.List;
import org.tamanoir.service.rule.Prefix;

/**
 * What an operator allows with one neighbour. A prefix is allowed if one of a list covers it, so the whole Internet only if {@code 0.0.0.0/0} is listed.
 *
 * @param tell    what the neighbour may be told
 * @param believe what it is believed
 * @param cost    of the link to it, 1 to {@value #MOST_COST}
 * @param most    prefixes that it may add to the table, 1 or more; those that it told and took back count until they are forgotten
 */
public record ToldPolicy(List<Prefix> tell, List<Prefix> believe, int cost, int most) {
    public static final int MOST_COST = 10_000;
    /** Prefixes of a neighbour unless an operator says otherwise. */
    public static final int USUAL_MOST = 1_000;

    public ToldPolicy {
        if (cost < 1 || cost > MOST_COST || most < 1) {
            throw new IllegalArgumentException("cost " + cost + ", most " + most);
        }
        tell = List.copyOf(tell);
        believe = List.copyOf(believe);
    }

    boolean tells(Prefix prefix) {
        return covers(tell, prefix);
    }

    boolean believes(Prefix prefix) {
        return covers(believe, prefix);
    }

    static boolean covers(List<Prefix> list, Prefix prefix) {
        for (Prefix each : list) {
            if (each.covers(prefix)) {
                return true;
            }
        }
        return false;
    }
}
