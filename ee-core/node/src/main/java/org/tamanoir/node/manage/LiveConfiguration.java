package org.tamanoir.node.manage;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.manage.Configurable.Change;

/**
 * The configuration in force, and the only way to change it: every part prepares, then every part commits. If one part cannot, all
 * discard and nothing has changed. A file that is read again and a request to the admin API both go this way, one at a time.
 */
public final class LiveConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(LiveConfiguration.class);

    private volatile NodeConfiguration inForce;
    private List<Configurable> parts = List.of();

    public LiveConfiguration(NodeConfiguration first) {
        inForce = first;
    }

    /** The parts that change with the configuration, in the order in which they prepare. */
    synchronized void parts(List<Configurable> all) {
        parts = List.copyOf(all);
    }

    /** The configuration in force. */
    public NodeConfiguration inForce() {
        return inForce;
    }

    /**
     * Puts another configuration in force.
     *
     * @param edit what becomes of the one in force; may throw to refuse
     * @throws AnepException why a part refuses; then nothing has changed
     */
    synchronized void change(UnaryOperator<NodeConfiguration> edit) {
        NodeConfiguration now = edit.apply(inForce);
        Deque<Change> ready = new ArrayDeque<>();
        try {
            parts.forEach(part -> ready.addLast(part.prepare(inForce, now)));
        } catch (RuntimeException | Error e) {
            while (!ready.isEmpty()) {
                finish(ready.removeLast()::discard);
            }
            throw e;
        }
        inForce = now;
        ready.forEach(change -> finish(change::commit));
    }

    /** A part that breaks its promise must not keep the others from theirs. */
    private static void finish(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("a part of the node is not as the configuration in force says", e);
        }
    }
}
