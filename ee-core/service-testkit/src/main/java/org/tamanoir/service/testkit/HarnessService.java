package org.tamanoir.service.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.NodeFacts;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Timer;

/** What a service under test is given for its life. */
final class HarnessService implements ServiceContext {
    private final String name;
    private final Configuration configuration;
    private final RecordedMetrics metrics = new RecordedMetrics();
    private final RecordedRules rules = new RecordedRules();
    private final VirtualTime time;
    final RunnableTimers timers;
    final RecordedProbes probes;
    final RecordedFlows flows;
    final RecordedTcp tcp;
    final RecordedConnections connections = new RecordedConnections();
    final RecordedWorkers workers = new RecordedWorkers();
    final Map<String, RecordedServer> servers = new HashMap<>();
    final GivenPartners partners = new GivenPartners();
    RecordedStore store = new RecordedStore();
    RecordedBlocks blocks = new RecordedBlocks();
    Map<String, Object> inherited = Map.of();
    NodeFacts node = new NodeFacts(0x7a61, new InetSocketAddress(InetAddress.getLoopbackAddress(), 3322));

    HarnessService(String name, Configuration configuration, VirtualTime time) {
        this.name = name;
        this.configuration = configuration;
        this.time = time;
        this.timers = new RunnableTimers(time, "a service", StreamContext.MOST_TIMERS);
        this.probes = new RecordedProbes(time);
        this.flows = new RecordedFlows(time);
        this.tcp = new RecordedTcp(time);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public RecordedMetrics metrics() {
        return metrics;
    }

    @Override
    public Map<String, Object> inherited() {
        return inherited;
    }

    @Override
    public RecordedRules rules() {
        return rules;
    }

    @Override
    public NodeFacts node() {
        return node;
    }

    @Override
    public long nanoTime() {
        return time.nanos();
    }

    @Override
    public Timer later(Duration delay, Runnable task) {
        return timers.later(delay, task);
    }

    @Override
    public RecordedStore store() {
        return store;
    }

    @Override
    public RecordedBlocks blocks() {
        return blocks;
    }

    @Override
    public RecordedProbes probes() {
        return probes;
    }

    @Override
    public RecordedFlows flows() {
        return flows;
    }

    @Override
    public RecordedConnections connections() {
        return connections;
    }

    @Override
    public RecordedWorkers workers() {
        return workers;
    }

    @Override
    public RecordedTcp tcp() {
        return tcp;
    }

    /** Whatever URL the options have, if they have one. */
    @Override
    public RecordedServer server(String option) {
        configuration.text(option, null);
        configuration.text(option + "-token-file", null);
        return servers.get(option);
    }

    @Override
    public <T> Partner<T> partner(int typeId, Class<T> contract) {
        return partners.partner(typeId, contract);
    }

    @Override
    public Logger logger() {
        return LoggerFactory.getLogger("tamanoir.service." + name);
    }

    /** The services that a test gives the one under test to work with. */
    static final class GivenPartners {
        private record Given(Object object, String version) {
        }

        private final Map<Integer, Given> given = new HashMap<>();
        private final Set<Integer> wanted = new LinkedHashSet<>();
        private int changes;

        void give(int typeId, Object object) {
            if (object == null) {
                given.remove(typeId);
            } else {
                given.put(typeId, new Given(object, "1.0." + changes++));
            }
        }

        Set<Integer> wanted() {
            return Set.copyOf(wanted);
        }

        <T> Partner<T> partner(int typeId, Class<T> contract) {
            return new Partner<>() {
                @Override
                public T get() {
                    Given now = now();
                    if (now == null) {
                        wanted.add(typeId);
                    }
                    return now == null ? null : contract.cast(now.object);
                }

                @Override
                public String version() {
                    return now() == null ? null : now().version;
                }

                private Given now() {
                    Given now = given.get(typeId);
                    return now != null && contract.isInstance(now.object) ? now : null;
                }
            };
        }
    }
}
