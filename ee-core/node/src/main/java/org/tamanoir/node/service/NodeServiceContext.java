package org.tamanoir.node.service;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;

/** What this node gives a service for its life. */
public record NodeServiceContext(String name, String version, MapConfiguration configuration, Metrics metrics, Logger logger)
        implements ServiceContext {
    public NodeServiceContext(String name, String version, MapConfiguration configuration, Metrics metrics) {
        this(name, version, configuration, metrics, LoggerFactory.getLogger("tamanoir.service." + name));
    }

    /** Makes the context of a service that is about to start, and clears up after one that has stopped. */
    public interface Factory {
        NodeServiceContext create(String name, String version);

        /** Takes the metrics of a service away. */
        void discard(ServiceContext context);
    }
}
