package org.tamanoir.node.manage;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceCall;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.service.MapConfiguration;

/**
 * Gives services whose options have changed the new ones: all of them, or none where one of them refuses. Versions that new streams do not
 * get keep theirs: they may not even know the new ones.
 */
final class Reconfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(Reconfiguration.class);

    /** A service that goes on with new options, and those that it had. */
    private record Changed(RunningService service, MapConfiguration before) {
    }

    private final ServiceRegistry registry;
    private final ServiceWatch watch;
    private final Deque<Changed> changed = new ArrayDeque<>();

    Reconfiguration(ServiceRegistry registry, ServiceWatch watch) {
        this.registry = registry;
        this.watch = watch;
    }

    /** @throws AnepException what a service says against its options, EE-501 as a rule; every service has the options before then */
    void apply(NodeConfiguration before, NodeConfiguration now) {
        for (RunningService service : registry.all()) {
            boolean current = registry.find(service.typeId()) == service;
            if (current && service.context() instanceof NodeServiceContext context && !options(before, service).equals(options(now, service))) {
                try {
                    change(service, context, ServiceContexts.options(now, service.name()));
                } catch (AnepException e) {
                    takeBack();
                    throw e;
                }
            }
        }
    }

    private static Map<String, Object> options(NodeConfiguration configuration, RunningService service) {
        return configuration.services().getOrDefault(service.name(), Map.of());
    }

    private void change(RunningService service, NodeServiceContext context, MapConfiguration options) {
        MapConfiguration before = context.configuration();
        if (reconfigure(service, options)) {
            changed.push(new Changed(service, before));
            options.checkAllAsked();
            context.configuration(options);
        } else {
            LOG.info("{} takes its new options when it is restarted", service);
        }
    }

    private boolean reconfigure(RunningService service, MapConfiguration options) {
        return ServiceCall.of(service, watch, "take its new options", () -> service.service().reconfigure(options));
    }

    /** The options before are in force again. */
    void takeBack() {
        while (!changed.isEmpty()) {
            Changed last = changed.pop();
            try {
                if (!reconfigure(last.service, last.before)) {
                    LOG.error("{} keeps the new options until it is restarted", last.service);
                }
                ((NodeServiceContext) last.service.context()).configuration(last.before);
            } catch (AnepException e) {
                LOG.error("{} does not take its options before: {}", last.service, e.getMessage());
            }
        }
    }
}
