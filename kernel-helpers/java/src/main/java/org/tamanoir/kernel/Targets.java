package org.tamanoir.kernel;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * A number for each next hop that rules name, the same for their flows, so that a flow is used by no rule that leads elsewhere. A number
 * lasts as long as a rule has it, and is never given again.
 */
final class Targets {
    /** The next hop that the route names. */
    static final int ROUTE = 0;
    /** No rule has it. */
    static final int NONE = -1;

    private static final class Target {
        private final int number;
        private int rules;

        Target(int number) {
            this.number = number;
        }
    }

    private final Map<InetSocketAddress, Target> targets = new HashMap<>();
    private final InetSocketAddress[] ofSlot;
    private int last;

    Targets(int slots) {
        ofSlot = new InetSocketAddress[slots];
    }

    /** The rule of a slot names a next hop from now on; null for the one of the route. Returns its number. */
    synchronized int name(int slot, InetSocketAddress next) {
        if (next != null) {
            targets.computeIfAbsent(next, unused -> new Target(++last)).rules++;
        }
        forget(slot);
        ofSlot[slot] = next;
        return number(next);
    }

    /** The slot has no rule any more. */
    synchronized void forget(int slot) {
        InetSocketAddress before = ofSlot[slot];
        if (before != null && --targets.get(before).rules == 0) {
            targets.remove(before);
        }
        ofSlot[slot] = null;
    }

    /** The number of a next hop. */
    synchronized int number(InetSocketAddress next) {
        Target target = next == null ? null : targets.get(next);
        return next == null ? ROUTE : target == null ? NONE : target.number;
    }
}
