package org.tamanoir.node.manage;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.node.offload.ServiceRules;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;

/** Gives each service its own options and its own metrics. */
public final class ServiceContexts implements NodeServiceContext.Factory {
    private final Supplier<NodeConfiguration> configuration;
    private final NodeMetrics metrics;
    private final RuleTable rules;
    private final Function<String, NodeMeans> means;

    /** @param means what a node has for the services of a publisher */
    public ServiceContexts(Supplier<NodeConfiguration> configuration, NodeMetrics metrics, RuleTable rules, Function<String, NodeMeans> means) {
        this.means = means;
        this.configuration = configuration;
        this.metrics = metrics;
        this.rules = rules;
    }

    @Override
    public NodeServiceContext create(int typeId, String publisher, String name, String version, Map<String, Object> inherited) {
        return new NodeServiceContext(name, version, options(configuration.get(), name), metrics.ofServices().open(name, version), inherited,
                new ServiceRules(rules, name, typeId), means.apply(publisher));
    }

    /** The options that a configuration has for a service. */
    static MapConfiguration options(NodeConfiguration configuration, String name) {
        return new MapConfiguration("services: " + name, configuration.services().getOrDefault(name, Map.of()));
    }

    @Override
    public void discard(ServiceContext context) {
        metrics.ofServices().close((ServiceMetrics) context.metrics());
    }
}
