package org.tamanoir.paths.plan;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Who measures to whom.
 *
 * @param pairs in order, without repetition; none from a theodolite to itself
 */
public record Group(List<Pair> pairs) {
    /** A direction between two theodolites. */
    public record Pair(String from, String to) {
    }

    public Group {
        pairs = List.copyOf(pairs);
    }

    /** Everybody to everybody: n theodolites make n(n - 1) pairs. */
    public static Group mesh(Collection<String> members) {
        return disjoint(members, members, false);
    }

    /**
     * From each of some to each of others.
     *
     * @param back whether the other way, too
     * @throws AnepException EE-780 if there are more pairs than a plan may have sessions; none is made then
     */
    public static Group disjoint(Collection<String> from, Collection<String> to, boolean back) {
        long most = (long) from.size() * to.size() * (back ? 2 : 1);
        if (most > Plan.MOST_SESSIONS + from.size()) {
            throw new AnepException(ErrorCode.BAD_PLAN, "a group of " + from.size() + " and " + to.size() + " theodolites has " + most + " pairs, and a plan at most " + Plan.MOST_SESSIONS
                    + " sessions: measure between fewer, or from some to some instead of in a mesh");
        }
        Set<Pair> pairs = new LinkedHashSet<>();
        for (String one : from) {
            for (String other : to) {
                if (!one.equals(other)) {
                    pairs.add(new Pair(one, other));
                    if (back) {
                        pairs.add(new Pair(other, one));
                    }
                }
            }
        }
        return new Group(List.copyOf(pairs));
    }
}
