package org.tamanoir.node.manage;

import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.offload.ServiceRules;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;

/** Gives each service its own options and its own metrics. */
final class ServiceContexts implements NodeServiceContext.Factory {
    private final Supplier<NodeConfiguration> configuration;
    private final NodeMetrics metrics;
    private final RuleTable rules;

    ServiceContexts(Supplier<NodeConfiguration> configuration, NodeMetrics metrics, RuleTable rules) {
        this.configuration = configuration;
        this.metrics = metrics;
        this.rules = rules;
    }

    @Override
    public NodeServiceContext create(int typeId, String name, String version, Map<String, Object> inherited) {
        Map<String, Object> options = configuration.get().services.getOrDefault(name, Map.of());
        return new NodeServiceContext(name, version, new MapConfiguration("services: " + name, options),
                metrics.ofServices().open(name, version), inherited, new ServiceRules(rules, name, typeId));
    }

    @Override
    public void discard(ServiceContext context) {
        metrics.ofServices().close((ServiceMetrics) context.metrics());
    }
}
