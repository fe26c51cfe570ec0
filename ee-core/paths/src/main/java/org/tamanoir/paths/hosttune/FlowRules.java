package org.tamanoir.paths.hosttune;

import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Rules in order, of which the first that matches a flow counts; and where their operator allows flows to be tuned.
 *
 * @param allowed prefixes in which the other ends of tuned flows lie
 * @param rules   at least one
 */
public record FlowRules(List<Prefix> allowed, List<FlowRule> rules) {
    /** How many combinations of prefixes and ports all rules have together: what a new connection costs at most. */
    public static final int MOST_ENTRIES = 256;

    /** @throws AnepException EE-501 if rules contradict each other or are too many; EE-621 if one reaches beyond what is allowed */
    public FlowRules {
        allowed = List.copyOf(allowed);
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "rules: there is none");
        }
        Set<String> names = new HashSet<>();
        long entries = 0;
        for (int i = 0; i < rules.size(); i++) {
            FlowRule rule = rules.get(i);
            if (!names.add(rule.name())) {
                throw bad(i, "another rule has the name " + rule.name());
            }
            for (FlowRule before : rules.subList(0, i)) {
                if (before.match().covers(rule.match())) {
                    throw bad(i, rule.name() + " can never apply: " + before.name() + " stands before it and takes all its flows" + (before.treatment().equals(rule.treatment()) ? ""
                            : ", for which the two want different things") + "; put it first, or leave one of them out");
                }
            }
            checkAllowed(allowed, i, rule);
            entries += entries(rule.match());
        }
        if (entries > MOST_ENTRIES) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "rules: together they have " + entries + " combinations of prefixes and ports, more than " + MOST_ENTRIES);
        }
    }

    private static final List<Prefix> EVERYWHERE = List.of(Prefix.parse("0.0.0.0/0"), Prefix.parse("::/0"));

    private static long entries(FlowMatch match) {
        return (long) Math.max(1, match.remote().size()) * Math.max(1, match.local().size()) * match.remotePorts().size() * match.localPorts().size();
    }

    private static void checkAllowed(List<Prefix> allowed, int number, FlowRule rule) {
        List<Prefix> remote = rule.match().remote();
        if (remote.isEmpty()) {
            // Both ends of a flow are of one family.
            List<Prefix> local = rule.match().local();
            remote = EVERYWHERE.stream().filter(each -> local.isEmpty() || local.stream().anyMatch(own -> isSameFamily(own, each))).toList();
        }
        for (Prefix each : remote) {
            if (allowed.stream().noneMatch(prefix -> prefix.covers(each))) {
                throw new AnepException(ErrorCode.TUNING_NOT_ALLOWED, "rules[" + number + "]: " + rule.name() + " tunes flows to " + each + ", and 'allow' has "
                        + (allowed.isEmpty() ? "nothing" : "only " + String.join(", ", allowed.stream().map(Prefix::toString).toList())));
            }
        }
    }

    private static boolean isSameFamily(Prefix one, Prefix other) {
        return one.network().getAddress().length == other.network().getAddress().length;
    }

    /** The rule of a flow. */
    public Optional<FlowRule> of(InetSocketAddress local, InetSocketAddress remote) {
        return rules.stream().filter(each -> each.match().matches(local, remote)).findFirst();
    }

    private static AnepException bad(int number, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "rules[" + number + "]: " + what);
    }
}
