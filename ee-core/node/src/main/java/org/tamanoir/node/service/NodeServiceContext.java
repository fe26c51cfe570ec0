package org.tamanoir.node.service;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.rule.LightRules;

/** What this node gives a service for its life. */
public record NodeServiceContext(String name, String version, MapConfiguration configuration, Metrics metrics, Logger logger,
                                 Map<String, Object> inherited, LightRules rules)
        implements ServiceContext {

    @Override
    public org.tamanoir.service.NodeFacts node() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.Timer later(java.time.Duration delay, Runnable task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.Store store() {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.tamanoir.service.probe.Probes probes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> org.tamanoir.service.Partner<T> partner(int typeId, Class<T> contract) {
        throw new UnsupportedOperationException();
    }
    public NodeServiceContext(String name, String version, MapConfiguration configuration, Metrics metrics, Map<String, Object> inherited,
                              LightRules rules) {
        this(name, version, configuration, metrics, LoggerFactory.getLogger("tamanoir.service." + name), inherited, rules);
    }

    /** Makes the context of a service that is about to start, and clears up after one that has stopped. */
    public interface Factory {
        /** @param inherited what the version before has handed over */
        NodeServiceContext create(int typeId, String name, String version, Map<String, Object> inherited);

        /** Takes the metrics of a service away. */
        void discard(ServiceContext context);
    }
}
