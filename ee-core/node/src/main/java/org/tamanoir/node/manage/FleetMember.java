package org.tamanoir.node.manage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.node.fleet.FleetPartFile;
import org.tamanoir.node.fleet.FleetTarget;
import org.tamanoir.node.fleet.StoredPart;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.node.stream.StreamCounters;

/** What the agent of a fleet sees of the node. */
final class FleetMember implements FleetTarget {
    /**
     * What a bad configuration does to streams: no way, a loop, nobody there, nobody let in, no service or a bad one. Not among them: what strangers send, and
     * what is short or slow whatever is configured.
     */
    private static final Set<ErrorCode> OF_CONFIGURATIONS = Set.of(ErrorCode.NO_ROUTE, ErrorCode.HOPS_EXHAUSTED, ErrorCode.UNREACHABLE, ErrorCode.FORBIDDEN_DESTINATION,
            ErrorCode.TLS_NEEDED, ErrorCode.NOT_IDENTIFIED, ErrorCode.NOT_PERMITTED);
    private static final int FIRST_OF_SERVICES = 301;
    private static final int LAST_OF_SERVICES = 319;
    /** Of a fleet, what takes effect at the next start. */
    private static final Map<String, Function<NodeConfiguration, Object>> AT_START = Map.of("repositories", NodeConfiguration::repositories, "neighbours", NodeConfiguration::neighbours,
            "drain", NodeConfiguration::drain, "limits.start-timeout", now -> now.limits().startTimeout(), "limits.repository-timeout", now -> now.limits().repositoryTimeout(),
            "limits.node-timeout", now -> now.limits().nodeTimeout(), "limits.remember-failure", now -> now.limits().rememberFailure(),
            "limits.bundle-bytes", now -> now.limits().bundleBytes());

    private final ConfigurationSource source;
    private final LiveConfiguration live;
    private final NodeStatus status;
    private final StreamCounters counters;
    private final NodeConfiguration started;
    private final FleetPartFile kept;
    private volatile long streamsBefore;
    private volatile long failedBefore;

    /** @param data the node's directory */
    FleetMember(ConfigurationSource source, LiveConfiguration live, NodeStatus status, StreamCounters counters, Path data) {
        this.source = source;
        this.live = live;
        this.status = status;
        this.counters = counters;
        this.started = live.inForce();
        this.kept = new FleetPartFile(data);
        kept.discard();
    }

    @Override
    public StoredPart inForce() {
        return source.inForce();
    }

    @Override
    public void take(StoredPart part) {
        source.take(part, live, kept);
        streamsBefore = streams();
        failedBefore = failed();
    }

    @Override
    public boolean revoke(List<String> lines) {
        return kept.revoke(lines);
    }

    private long failed() {
        return counters.errors().entrySet().stream().filter(each -> OF_CONFIGURATIONS.contains(each.getKey())
                || each.getKey().number() >= FIRST_OF_SERVICES && each.getKey().number() <= LAST_OF_SERVICES).mapToLong(each -> each.getValue().sum()).sum();
    }

    /** Those that were refused later too; but {@link #failed} may count one of them twice. */
    private long streams() {
        return counters.opened().sum();
    }

    @Override
    public Health health() {
        Map<String, Object> health = new LinkedHashMap<>(status.health());
        String word = String.valueOf(health.remove("status"));
        List<String> problems = health.entrySet().stream().map(each -> each.getKey() + ": " + each.getValue()).toList();
        long failed = failed() - failedBefore;
        return new Health(word, problems.subList(0, Math.min(NodeReport.MOST_ENTRIES, problems.size())), Math.max(streams() - streamsBefore, failed), failed);
    }

    @Override
    public List<Drift> drift() {
        List<Drift> all = new ArrayList<>(live.drift());
        all.addAll(source.held());
        return all.size() <= NodeReport.MOST_ENTRIES ? all : all.subList(0, NodeReport.MOST_ENTRIES);
    }

    @Override
    public List<String> restart() {
        NodeConfiguration now = live.inForce();
        return AT_START.entrySet().stream().filter(each -> !Objects.equals(each.getValue().apply(started), each.getValue().apply(now))).map(Map.Entry::getKey).sorted()
                .collect(Collectors.toList());
    }

    @Override
    public String version() {
        return NodeStatus.version();
    }
}
