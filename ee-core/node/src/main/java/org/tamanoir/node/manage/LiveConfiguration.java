package org.tamanoir.node.manage;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.node.manage.Configurable.Change;
import org.tamanoir.node.manage.configuration.NodeConfiguration;

/**
 * The configuration in force, and the only way to change it: every part prepares, then every part commits. If one part cannot, all
 * discard and nothing has changed. A file that is read again and a request to the admin API both go this way, one at a time.
 */
public final class LiveConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(LiveConfiguration.class);

    private volatile NodeConfiguration inForce;
    /** What the file and the command line said last: the same without what the admin API has changed. */
    private volatile NodeConfiguration file;
    private volatile List<String> overridden = List.of();
    private List<Configurable> parts = List.of();

    public LiveConfiguration(NodeConfiguration first) {
        inForce = first;
        file = first;
    }

    /** The parts that change with the configuration, in the order in which they prepare. */
    synchronized void parts(List<Configurable> all) {
        parts = List.copyOf(all);
    }

    /** The configuration in force. */
    public NodeConfiguration inForce() {
        return inForce;
    }

    /** What the admin API has changed since the file was read. */
    List<String> changedByApi() {
        return ChangeableResource.changed(file, inForce);
    }

    /** The same, key by key: what the file says, and what holds. */
    List<Drift> drift() {
        return ChangeableResource.drift(file, inForce);
    }

    /** What the admin API had changed and the last reload took back. */
    List<String> overridden() {
        return overridden;
    }

    /**
     * Puts in force what the file says now. The file is the whole truth: what the admin API has changed and the file does not say is
     * taken back, and told.
     *
     * @return what was taken back, in sentences
     * @throws AnepException why it is refused; then nothing has changed
     */
    List<String> reload(NodeConfiguration now) {
        return reload(now, "the file", null);
    }

    /**
     * The same for what has changed besides the file.
     *
     * @param who   has changed it, for the log
     * @param first takes part before all others; null for nobody
     */
    synchronized List<String> reload(NodeConfiguration now, String who, Configurable first) {
        List<String> lost = ChangeableResource.lost(file, inForce, now);
        put(now, first);
        file = now;
        overridden = lost;
        lost.forEach(each -> LOG.warn("{} overrides the admin API: {}", who, each));
        return lost;
    }

    /**
     * Changes a part of the configuration until the file is read again or the node stops.
     *
     * @param ifMatch tags of what the change was made for; null for anything
     * @param edit    makes the new configuration of the one in force; may throw to refuse
     * @throws AnepException EE-413 if another one is in force; why a part refuses. Then nothing has changed
     */
    synchronized void change(ChangeableResource resource, String ifMatch, UnaryOperator<NodeConfiguration> edit) {
        resource.requireMatch(ifMatch, inForce);
        put(edit.apply(inForce), null);
    }

    private void put(NodeConfiguration now, Configurable first) {
        Deque<Change> ready = new ArrayDeque<>();
        try {
            if (first != null) {
                ready.addLast(first.prepare(inForce, now));
            }
            parts.forEach(part -> ready.addLast(part.prepare(inForce, now)));
        } catch (RuntimeException | Error e) {
            while (!ready.isEmpty()) {
                finish(ready.removeLast()::discard);
            }
            throw e;
        }
        ready.forEach(change -> finish(change::commit));
        // Last, so that whoever sees it finds every part as it says.
        inForce = now;
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
