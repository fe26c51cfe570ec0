package org.tamanoir.node.offload;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.tamanoir.node.offload.LightPath.LightTarget;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.rule.LightRules;

/** Which level runs what: the rules in force, and the kernel path if there is one. Safe for all threads. */
public final class Offload implements Flow.Carrier, AutoCloseable {
    private final RuleTable rules;
    private final KernelPath kernel;
    private final Explainer explainer;
    private InetSocketAddress lightAddress;

    public Offload(KernelSettings settings) {
        rules = new RuleTable(settings.rules());
        kernel = new KernelPath(settings, rules);
        explainer = new Explainer(rules, kernel);
    }

    public RuleTable rules() {
        return rules;
    }

    public Explainer explainer() {
        return explainer;
    }

    /** The kernel path, in use or not. */
    public KernelPath kernel() {
        return kernel;
    }

    /**
     * Begins to use the kernel, where that is possible.
     *
     * @param address  where streams come in
     * @param nodeId   of this node
     * @param light    where light TCP streams come in; null for nowhere
     * @param codePort of its code server; 0 for none
     * @param targets  where light TCP streams go
     * @throws org.tamanoir.anep.AnepException EE-601 if the kernel is required and cannot be used
     */
    public void start(InetSocketAddress address, InetSocketAddress light, long nodeId, int codePort, List<LightTarget> targets) {
        lightAddress = light;
        lightTargets(targets);
        kernel.start(address, nodeId, codePort);
    }

    /** New streams get another version of a service: its rules take the place of those before. Either may be null. */
    public void current(RunningService before, RunningService now) {
        ServiceRules old = rulesOf(before);
        ServiceRules is = rulesOf(now);
        if (now != null) {
            kernel.served(now.typeId());
        }
        if (before != null) {
            long counted = before.packets();
            long itself = before.packetsOfHandlers();
            before.ruledBy(() -> counted - itself);
        }
        if (is != null) {
            is.enforce(old);
            long already = rules.finished(now.name());
            now.ruledBy(() -> rules.finished(now.name()) - already);
        } else if (old != null) {
            old.retire(Set.of());
        }
    }

    private static ServiceRules rulesOf(RunningService service) {
        LightRules rules = service == null ? null : service.context().rules();
        return rules instanceof ServiceRules ours ? ours : null;
    }

    /** Why a connection of a light stream is carried by the node. */
    public String lightWhyNot() {
        String why = kernel.light().whyNot();
        return why != null ? why : "it came before the kernel forwarded such connections";
    }

    /** Light TCP streams go elsewhere from now on. */
    public void lightTargets(List<LightTarget> targets) {
        kernel.light().configure(lightAddress, targets);
    }

    @Override
    public long generation() {
        return kernel.generation();
    }

    @Override
    public Flow open(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, int typeId, Long streamId,
                     InetSocketAddress target) {
        return kernel.open(sender, next, local, typeId, streamId, target);
    }

    @Override
    public void close() {
        kernel.close();
    }
}
