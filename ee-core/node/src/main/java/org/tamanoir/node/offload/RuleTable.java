package org.tamanoir.node.offload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.RuleCounters;

/**
 * The rules in force, those of the operator before those of services. Looked up for each packet by any loop, without a lock; changed one
 * rule at a time.
 */
public final class RuleTable {
    /** The owner of the rules of the configuration. */
    public static final String OPERATOR = "operator";
    /** Combinations of fields and prefix lengths: what a packet costs at most. As many as the kernel takes. */
    static final int SHAPES = 16;
    /** Priorities below are the operator's. */
    private static final long FIRST_OF_SERVICES = 1 << 20;

    /** Who else runs the rules. Called in the order of the changes, one at a time. */
    interface Mirror {
        /** This rule is run from now on, in the place of another of the same slot if there is one. */
        void put(LiveRule rule);

        /** This rule is not run any more. */
        void remove(LiveRule rule);
    }

    private static final Mirror NOBODY = new Mirror() {
        @Override
        public void put(LiveRule rule) {
            // Only the node runs rules.
        }

        @Override
        public void remove(LiveRule rule) {
            // Only the node runs rules.
        }
    };

    private final int most;
    private final BitSet slots = new BitSet();
    private final Map<String, LiveRule> byName = new HashMap<>();
    private volatile RuleShape[] shapes = {};
    private volatile long revision;
    /** Rules of the operator that room is kept for. */
    private List<LightRule> coming = List.of();
    private long nextOfServices = FIRST_OF_SERVICES;
    private Mirror mirror = NOBODY;

    /** @param most rules at once */
    public RuleTable(int most) {
        this.most = most;
    }

    /** Names who else runs the rules; it is told of those that are there. Null for nobody: from then on only the node runs them. */
    synchronized void mirror(Mirror other) {
        mirror = other == null ? NOBODY : other;
        for (RuleShape shape : shapes) {
            for (LiveRule[] rules : shape.all()) {
                rules[0].inKernel(null);
                mirror.put(rules[0]);
            }
        }
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return shapes.length == 0;
    }

    /** Grows with every change. */
    public long revision() {
        return revision;
    }

    /** The rule that a packet sent to this node gets, or null. */
    public LiveRule find(PacketFacts packet) {
        LiveRule found = null;
        for (RuleShape shape : shapes) {
            LiveRule rule = shape.find(packet);
            if (rule != null && (found == null || rule.priority() < found.priority())) {
                found = rule;
            }
        }
        return found;
    }

    /**
     * Adds a rule of a service, or puts it in place of the one of its name.
     *
     * @throws AnepException EE-603; the table is as before
     */
    public synchronized void put(String owner, LightRule rule) {
        LiveRule before = byName.get(owner + "/" + rule.name());
        if (!coming.isEmpty() && (before == null || !before.rule().match().equals(rule.match()))) {
            requireRoom(coming, rule.match());
        }
        put(owner, rule, before == null ? nextOfServices++ : before.priority());
    }

    /** New rules of the operator for which there is room, kept until one of the two is called. */
    public interface Replacement {
        /** Puts them in place of those before. Counters go on under the same name. */
        void commit();

        /** Forgets them. */
        void discard();
    }

    /**
     * Makes room for other rules of the operator; until they are in place, services get none that they would need.
     *
     * @throws AnepException EE-603 if there is no room
     */
    public synchronized Replacement prepareOperators(List<LightRule> rules) {
        requireRoom(rules, null);
        coming = List.copyOf(rules);
        return new Replacement() {
            @Override
            public void commit() {
                replaceOperators(rules);
            }

            @Override
            public void discard() {
                forgetComing();
            }
        };
    }

    private synchronized void forgetComing() {
        coming = List.of();
    }

    /**
     * Whether rules of the operator fit beside those of services.
     *
     * @param another match of a rule that a service wants too; null for none
     */
    private void requireRoom(List<LightRule> operators, Match another) {
        List<LiveRule> others = byName.values().stream().filter(rule -> !rule.owner().equals(OPERATOR)).toList();
        if (others.size() + operators.size() + (another == null ? 0 : 1) > most) {
            throw full(operators.size() + " rules of the operator and " + others.size() + " of services"
                    + (another == null ? "" : " are there, and this is another"));
        }
        Set<RuleShape.Fields> fields = new HashSet<>();
        others.forEach(rule -> fields.add(RuleShape.Fields.of(rule.rule().match())));
        operators.forEach(rule -> fields.add(RuleShape.Fields.of(rule.match())));
        if (another != null) {
            fields.add(RuleShape.Fields.of(another));
        }
        if (fields.size() > SHAPES) {
            throw tooManyShapes(fields.size());
        }
    }

    /**
     * Puts the rules of the operator in place of those before. Counters go on under the same name.
     *
     * @throws AnepException EE-603; the table is as before
     */
    public synchronized void replaceOperators(List<LightRule> rules) {
        requireRoom(rules, null);
        coming = List.of();
        Map<String, LightRule> wanted = new HashMap<>();
        rules.forEach(rule -> wanted.put(rule.name(), rule));
        for (LiveRule rule : List.copyOf(byName.values())) {
            if (rule.owner().equals(OPERATOR) && !wanted.containsKey(rule.rule().name())) {
                remove(OPERATOR, rule.rule().name());
            } else if (rule.owner().equals(OPERATOR) && !wanted.get(rule.rule().name()).match().equals(rule.rule().match())) {
                // Out first, so that old and new matches together never have more shapes than there may be.
                leave(rule);
            }
        }
        for (int i = 0; i < rules.size(); i++) {
            put(OPERATOR, rules.get(i), i);
        }
    }

    private void put(String owner, LightRule rule, long priority) {
        LiveRule before = byName.get(owner + "/" + rule.name());
        if (before != null && before.rule().equals(rule) && before.priority() == priority) {
            return;
        }
        int slot = before != null ? before.slot() : slots.nextClearBit(0);
        if (slot >= most) {
            throw full(rule.name() + " of " + owner + " is another");
        }
        shape(rule.match());
        LiveRule now = new LiveRule(owner, rule, priority, slot, before);
        slots.set(slot);
        byName.put(now.toString(), now);
        boolean moves = before != null && !before.rule().match().equals(rule.match());
        if (moves) {
            leave(before);
        }
        change(rule.match(), moves ? null : before, now);
        revision++;
    }

    private AnepException full(String what) {
        return new AnepException(ErrorCode.RULES_FULL, "there is room for " + most + " rules (kernel: rules); " + what);
    }

    private static AnepException tooManyShapes(int shapes) {
        return new AnepException(ErrorCode.RULES_FULL, "the rules have " + shapes + " combinations of fields and prefix lengths; a packet may "
                + "cost " + SHAPES + " look-ups, and each combination is one");
    }

    /** Removes a rule; returns whether there was one. */
    public synchronized boolean remove(String owner, String name) {
        LiveRule rule = byName.remove(owner + "/" + name);
        if (rule == null) {
            return false;
        }
        leave(rule);
        slots.clear(rule.slot());
        revision++;
        return true;
    }

    private void leave(LiveRule rule) {
        change(rule.rule().match(), rule, null);
    }

    /** Takes one rule out of those of a match, or puts one in, and tells the mirror which of them is run. */
    private void change(Match match, LiveRule out, LiveRule in) {
        RuleShape shape = shape(match);
        LiveRule[] old = shape.get(match);
        List<LiveRule> changed = new ArrayList<>(Arrays.asList(old));
        changed.remove(out);
        if (in != null) {
            changed.add(in);
        }
        changed.sort(Comparator.comparingLong(LiveRule::priority));
        shape.set(match, changed.toArray(LiveRule[]::new));
        LiveRule was = old.length == 0 ? null : old[0];
        LiveRule is = changed.isEmpty() ? null : changed.get(0);
        if (was != is) {
            if (was != null && (is == null || was.slot() != is.slot())) {
                mirror.remove(was);
            }
            if (is != null) {
                mirror.put(is);
            }
        }
        if (shape.isEmpty()) {
            shapes = Arrays.stream(shapes).filter(each -> each != shape).toArray(RuleShape[]::new);
        }
    }

    private RuleShape shape(Match match) {
        RuleShape.Fields fields = RuleShape.Fields.of(match);
        for (RuleShape shape : shapes) {
            if (shape.fields().equals(fields)) {
                return shape;
            }
        }
        if (shapes.length == SHAPES) {
            throw tooManyShapes(SHAPES + 1);
        }
        RuleShape[] more = Arrays.copyOf(shapes, shapes.length + 1);
        more[shapes.length] = new RuleShape(fields);
        shapes = more;
        return more[more.length - 1];
    }

    /** The rules in the order in which they are asked. */
    public synchronized List<LiveRule> all() {
        return byName.values().stream().sorted(Comparator.comparingLong(LiveRule::priority)).toList();
    }

    /** Packets that the rules of an owner have forwarded or dropped. */
    synchronized long finished(String owner) {
        long sum = 0;
        for (LiveRule rule : byName.values()) {
            if (rule.owner().equals(owner)) {
                RuleCounters counters = rule.counters();
                sum += counters.forwarded() + counters.dropped();
            }
        }
        return sum;
    }

    /** What a rule has seen; all 0 if there is none. */
    public synchronized RuleCounters counters(String owner, String name) {
        LiveRule rule = byName.get(owner + "/" + name);
        return rule == null ? RuleCounters.NONE : rule.counters();
    }
}
