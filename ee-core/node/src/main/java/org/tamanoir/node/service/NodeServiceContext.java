package org.tamanoir.node.service;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.Blocks;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Store;
import org.tamanoir.service.Timer;
import org.tamanoir.service.connection.Connections;
import org.tamanoir.service.flow.Flows;
import org.tamanoir.service.probe.Probes;
import org.tamanoir.service.rule.LightRules;
import org.tamanoir.service.server.Server;
import org.tamanoir.service.tcp.TcpStreams;
import org.tamanoir.service.worker.Workers;

/** What this node gives a service for its life. */
public final class NodeServiceContext implements ServiceContext {
    private final String name;
    private final String version;
    private final Metrics metrics;
    private final Logger logger;
    private final Map<String, Object> inherited;
    private final LightRules rules;
    private final NodeMeans means;
    private final ServiceTasks tasks;
    private volatile MapConfiguration configuration;
    private final Map<String, Server> servers = new HashMap<>();
    private Probes probes;
    private Flows flows;
    private Connections connections;
    private Workers workers;
    private TcpStreams tcp;
    private volatile RunningService running;

    public NodeServiceContext(String name, String version, MapConfiguration configuration, Metrics metrics, Map<String, Object> inherited,
                              LightRules rules, NodeMeans means) {
        this.name = name;
        this.version = version;
        this.configuration = configuration;
        this.metrics = metrics;
        this.logger = LoggerFactory.getLogger("tamanoir.service." + name);
        this.inherited = inherited;
        this.rules = rules;
        this.means = means;
        this.tasks = new ServiceTasks(means.threads());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public MapConfiguration configuration() {
        return configuration;
    }

    /** The service goes on with other options. */
    public void configuration(MapConfiguration changed) {
        configuration = changed;
    }

    @Override
    public Metrics metrics() {
        return metrics;
    }

    @Override
    public Map<String, Object> inherited() {
        return inherited;
    }

    @Override
    public LightRules rules() {
        return rules;
    }

    @Override
    public NodeFacts node() {
        return means.facts().get();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer later(Duration delay, Runnable task) {
        return tasks.later(delay, task);
    }

    @Override
    public Store store() {
        return means.stores().apply(name, tasks::tell).store();
    }

    @Override
    public Blocks blocks() {
        return means.stores().apply(name, tasks::tell).blocks().apply(() -> running == null ? ServicePolicy.BLOCKS_BYTES : running.policy().blocksBytes());
    }

    @Override
    public synchronized Probes probes() {
        if (probes == null) {
            probes = means.probes().apply(tasks);
        }
        return probes;
    }

    @Override
    public synchronized Flows flows() {
        if (flows == null) {
            flows = means.flows().of(() -> running == null ? 0 : running.typeId(), tasks);
        }
        return flows;
    }

    @Override
    public synchronized Connections connections() {
        if (connections == null) {
            connections = means.connections().of(() -> running, tasks);
        }
        return connections;
    }

    @Override
    public synchronized Workers workers() {
        if (workers == null) {
            workers = means.workers().of(() -> running, tasks);
        }
        return workers;
    }

    @Override
    public synchronized TcpStreams tcp() {
        if (tcp == null) {
            tcp = means.tcp().apply(tasks);
        }
        return tcp;
    }

    @Override
    public synchronized Server server(String option) {
        if (!servers.containsKey(option)) {
            servers.put(option, means.servers().of(name, configuration, option, tasks));
        }
        return servers.get(option);
    }

    @Override
    public <T> Partner<T> partner(int typeId, Class<T> contract) {
        return means.partners().partner(name + " " + version, typeId, contract);
    }

    @Override
    public Logger logger() {
        return logger;
    }

    /** The service has started: its tasks run from now on. */
    public void started(RunningService service) {
        running = service;
        tasks.begin(service);
    }

    /** The service is to stop: none of its tasks begins any more. */
    public void stopping() {
        tasks.end();
        synchronized (this) {
            servers.values().stream().filter(Objects::nonNull).forEach(NodeServiceContext::close);
            close(flows);
            close(connections);
            close(workers);
            close(tcp);
        }
    }

    private static void close(Object means) {
        if (means instanceof AutoCloseable ends) {
            try {
                ends.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Makes the context of a service that is about to start, and clears up after one that has stopped. */
    public interface Factory {
        /**
         * @param publisher who owns what the service keeps; null for one that nobody signed
         * @param inherited what the version before has handed over
         */
        NodeServiceContext create(int typeId, String publisher, String name, String version, Map<String, Object> inherited);

        /** Takes the metrics of a service away. */
        void discard(ServiceContext context);
    }

    /**
     * What a node has for all services of a publisher.
     *
     * @param facts    who it is
     * @param threads  where their own tasks run
     * @param partners how they find each other
     * @param stores   what a service keeps, by its name, and where it is told
     * @param probes   the probes of a service that is told on its own tasks
     * @param servers  the servers that services' options name
     * @param flows    the flows of services
     * @param connections the connections of services
     * @param workers  the workers of services
     * @param tcp      what the kernel says of streams, for a service that is told on its own tasks; closed with it
     */
    public record NodeMeans(Supplier<NodeFacts> facts, TaskThreads threads, Partners partners, BiFunction<String, Executor, Kept> stores,
                            Function<Executor, Probes> probes, ServerSource servers, FlowSource flows, ConnectionSource connections,
                            WorkerSource workers, Function<Executor, TcpStreams> tcp) {
    }

    /** What one version of a service keeps. @param blocks of at most so many octets as is said whenever one is put */
    public record Kept(Store store, Function<LongSupplier, Blocks> blocks) {
    }

    /** Gives a service the server that an option names, which is closed with it; null if the option is not set. */
    @FunctionalInterface
    public interface ServerSource {
        /** @param tasks where the service is told @throws org.tamanoir.anep.AnepException EE-501 */
        Server of(String service, Configuration options, String option, Executor tasks);
    }

    /** Gives a service its flows, which are closed with it. */
    @FunctionalInterface
    public interface FlowSource {
        /** @param typeId of the service, asked for each flow @param tasks where the service is told */
        Flows of(IntSupplier typeId, Executor tasks);
    }

    /** Gives a service its connections, which end with it. */
    @FunctionalInterface
    public interface ConnectionSource {
        /** @param service asked whenever one is opened; null while it starts @param tasks where the service is told */
        Connections of(Supplier<RunningService> service, Executor tasks);
    }

    /** Gives a service its workers, which end with it. */
    @FunctionalInterface
    public interface WorkerSource {
        /** @param service asked whenever one is started; null while it starts @param tasks where the service is told */
        Workers of(Supplier<RunningService> service, Executor tasks);
    }
}
