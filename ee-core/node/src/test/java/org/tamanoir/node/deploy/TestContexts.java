package org.tamanoir.node.deploy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.TaskThreads;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;

/** Contexts of services without options, and a record of them. */
final class TestContexts implements NodeServiceContext.Factory {
    final List<ServiceContext> created = new CopyOnWriteArrayList<>();
    final List<ServiceContext> discarded = new CopyOnWriteArrayList<>();
    private final TaskThreads threads;

    TestContexts(TaskThreads threads) {
        this.threads = threads;
    }

    @Override
    public NodeServiceContext create(int typeId, String publisher, String name, String version, Map<String, Object> inherited) {
        NodeServiceContext context = new NodeServiceContext(name, version, new MapConfiguration(name, Map.of()), null, inherited, null,
                new NodeMeans(null, threads, null, null, null, null, null, null, null, null));
        created.add(context);
        return context;
    }

    @Override
    public void discard(ServiceContext context) {
        discarded.add(context);
    }
}
