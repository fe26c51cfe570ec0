package org.tamanoir.node.offload;

import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.kernel.Done;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.RuleCounters;

/** Puts the rules of the table into the kernel as they change, and runs them there for packets that came up. */
final class KernelMirror implements RuleTable.Mirror, LiveRule.InKernel {
    private final Kernel kernel;
    private final Consumer<AnepException> broken;
    private boolean passing;

    /** @param broken told when the kernel has not taken a change: from then on it would do something else than the node */
    KernelMirror(Kernel kernel, Consumer<AnepException> broken) {
        this.kernel = kernel;
        this.broken = broken;
    }

    @Override
    public void put(LiveRule rule) {
        try {
            if (rule.rule().match().passing() && !passing) {
                kernel.attachPassing();
                passing = true;
            }
            kernel.put(rule.slot(), (int) rule.priority(), rule.rule());
            rule.inKernel(this);
        } catch (AnepException e) {
            rule.inKernel(null);
            broken.accept(e);
        }
    }

    @Override
    public void remove(LiveRule rule) {
        rule.inKernel(null);
        try {
            kernel.remove(rule.slot());
        } catch (AnepException e) {
            broken.accept(e);
        }
    }

    @Override
    public Done run(int slot, int octets, Colour arrived) {
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
