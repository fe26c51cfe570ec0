package org.tamanoir.node.offload;

import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.RuleCounters;

/** Puts the rules of the table into the kernel as they change, and runs them there for packets that came up. */
final class KernelMirror implements RuleTable.Mirror, LiveRule.InKernel {
    private final Kernel kernel;
    private final Consumer<AnepException> broken;
    private boolean passing;
    private volatile String passingWhyNot;

    /** @param broken told when the kernel has not taken a change: from then on it would do something else than the node */
    KernelMirror(Kernel kernel, Consumer<AnepException> broken) {
        this.kernel = kernel;
        this.broken = broken;
    }

    @Override
    public void put(LiveRule rule) {
        try {
            if (rule.rule().match().passing() && !attachPassing()) {
                rule.inKernel(null);
                return;
            }
            kernel.put(rule.slot(), (int) rule.priority(), rule.rule());
            rule.inKernel(this);
        } catch (AnepException e) {
            rule.inKernel(null);
            broken.accept(e);
        }
    }

    /** Nothing else depends on it: where it fails, rules for packets in passing run nowhere and all others as before. */
    private boolean attachPassing() {
        if (!passing) {
            try {
                kernel.attachPassing();
                passing = true;
                passingWhyNot = null;
            } catch (AnepException e) {
                passingWhyNot = e.text();
            }
        }
        return passing;
    }

    /** Why the kernel cannot be asked about packets that the host forwards; null if it can, or no rule is for them. */
    String passingWhyNot() {
        return passingWhyNot;
    }

    @Override
    public void remove(LiveRule rule) {
        if (!rule.isInKernel()) {
            return;
        }
        rule.inKernel(null);
        try {
            kernel.remove(rule.slot());
        } catch (AnepException e) {
            broken.accept(e);
        }
    }

    @Override
    public RuleOutcome run(int slot, int octets, Colour arrived) {
        try {
            return kernel.apply(slot, octets, arrived);
        } catch (AnepException e) {
            return null;
        }
    }

    @Override
    public RuleCounters counters(int slot) {
        try {
            return kernel.counters(slot);
        } catch (AnepException e) {
            return RuleCounters.NONE;
        }
    }
}
