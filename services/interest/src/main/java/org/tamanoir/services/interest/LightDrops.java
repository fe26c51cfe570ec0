package org.tamanoir.services.interest;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.rule.Match;
import org.tamanoir.services.interest.tree.GroupDrops;

/**
 * The light rules of one space: each drops the datagrams of one group of topics that nobody wants, in the kernel where that is possible. A rule knows a space by its codes,
 * which follow from the address that publishers name; the same root may be named by several. All of it holding the space.
 */
final class LightDrops implements GroupDrops.Rules {
    /** Addresses that have rules. The datagrams of those who name others all come up. */
    private static final int MOST_NAMES = 4;
    private static final List<Action> DROP = List.of(Action.count(), Action.drop());

    private final LightRules rules;
    private final Counters counters;
    private final int most;
    private final IntConsumer changed;
    private final Set<Long> names = new LinkedHashSet<>();
    private final Set<String> put = new LinkedHashSet<>();
    /** Datagrams that rules had dropped that are no more. */
    private long lifted;
    private String problem;

    /**
     * @param most    rules of all spaces
     * @param changed told of each group that is dropped from now on, or no more
     */
    LightDrops(LightRules rules, Counters counters, int most, IntConsumer changed) {
        this.rules = rules;
        this.counters = counters;
        this.most = most;
        this.changed = changed;
    }

    /** A publisher names the space so. @return whether it is new, and has to have rules as well */
    boolean named(long codes) {
        return names.size() < MOST_NAMES && names.add(codes);
    }

    @Override
    public boolean drop(int group) {
        changed.accept(group);
        try {
            for (long name : names) {
                if (!counters.takeRule(most)) {
                    throw new AnepException(ErrorCode.RULES_FULL, "the spaces of this node have the " + most + " rules of drop-rules already");
                }
                LightRule rule = new LightRule(name(name, group), Match.type(BundledServices.typeId("interest")).withSession(TopicGroups.code(name, group)), DROP);
                putTaken(rule);
            }
            problem = null;
            return true;
        } catch (AnepException e) {
            problem = e.getMessage();
            lift(group);
            return false;
        }
    }

    private void putTaken(LightRule rule) {
        try {
            rules.put(rule);
        } catch (AnepException e) {
            counters.giveRule();
            throw e;
        }
        put.add(rule.name());
    }

    @Override
    public void lift(int group) {
        for (long name : names) {
            String rule = name(name, group);
            if (put.remove(rule)) {
                long dropped = rules.counters(rule).dropped();
                rules.remove(rule);
                lifted += dropped;
                counters.below.add(dropped);
                counters.giveRule();
            }
        }
        changed.accept(group);
    }

    private static String name(long codes, int group) {
        return Long.toHexString(codes) + "-" + group;
    }

    /** Why nothing is dropped; null if nothing is against it. */
    String problem() {
        return problem;
    }

    /** Rules in force. */
    int size() {
        return put.size();
    }

    /** Datagrams that have been dropped, by rules that are in force or were. */
    long dropped() {
        return lifted + droppedNow();
    }

    /** Datagrams that the rules in force have dropped. */
    long droppedNow() {
        long sum = 0;
        for (String rule : put) {
            sum += rules.counters(rule).dropped();
        }
        return sum;
    }
}
