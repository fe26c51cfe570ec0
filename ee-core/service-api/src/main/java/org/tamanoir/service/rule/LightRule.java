package org.tamanoir.service.rule;

import java.util.List;
import org.tamanoir.service.rule.Action.Count;
import org.tamanoir.service.rule.Action.Drop;
import org.tamanoir.service.rule.Action.Forward;

/**
 * A light service, or a part of one: what is done to the packets that match. The first rule of a node's table that matches a packet is
 * run, and no other. It does the same wherever it runs: in the kernel, or in the node where the kernel cannot.
 *
 * <pre>{@code
 * LightRule rule = new LightRule("gold", Match.type(0x5500), List.of(Action.count(),
 *         Action.police(Meter.singleRate(1_000_000, 3_000, 3_000), Treatment.PASS, Treatment.mark(12), Treatment.DROP),
 *         Action.forward()));
 * }</pre>
 *
 * @param name    of the rule, unique among those of its service; 1 to 64 letters, digits, {@code -}, {@code _} or {@code .}
 * @param match   which packets
 * @param actions 1 to 4, each kind once, in the order in which they are done; {@link Drop} and {@link Forward} only as the last. A rule
 *                that ends with neither lets the packet go on to its service. Packets in passing can only be counted and dropped.
 */
public record LightRule(String name, Match match, List<Action> actions) {
    private static final String NAME = "[A-Za-z0-9._-]{1,64}";

    /**
     * Checks the rule.
     *
     * @throws IllegalArgumentException with a sentence that names what is wrong
     */
    public LightRule {
        if (name == null || !name.matches(NAME)) {
            throw new IllegalArgumentException("the name of a rule is '" + name + "'; it must be 1 to 64 letters, digits, '-', '_' or '.'");
        }
        actions = List.copyOf(actions);
        if (actions.isEmpty()) {
            throw new IllegalArgumentException("rule " + name + " has no action");
        }
        for (int i = 0; i < actions.size(); i++) {
            Action action = actions.get(i);
            if (i < actions.size() - 1 && (action instanceof Drop || action instanceof Forward)) {
                throw new IllegalArgumentException("rule " + name + ": nothing can follow " + action.word());
            }
            if (match.passing() && !(action instanceof Count) && !(action instanceof Drop)) {
                throw new IllegalArgumentException("rule " + name + ": a packet in passing can be counted and dropped, and not get " + action.word());
            }
            for (int j = 0; j < i; j++) {
                if (actions.get(j).getClass() == action.getClass()) {
                    throw new IllegalArgumentException("rule " + name + " has two actions of the kind " + action.word());
                }
            }
        }
    }

    /** The last action: {@link Drop}, {@link Forward}, or another. */
    public Action last() {
        return actions.get(actions.size() - 1);
    }

    /** Whether a packet that is not dropped goes to the next hop without its service having seen it. */
    public boolean forwards() {
        return last() instanceof Forward;
    }

    /** Whether the rule decides alone what becomes of a packet, so that a kernel can finish it. */
    public boolean isFinal() {
        return last() instanceof Forward || last() instanceof Drop;
    }

    /** Its action of a kind, or null. */
    public <T extends Action> T action(Class<T> kind) {
        for (Action action : actions) {
            if (kind.isInstance(action)) {
                return kind.cast(action);
            }
        }
        return null;
    }
}
