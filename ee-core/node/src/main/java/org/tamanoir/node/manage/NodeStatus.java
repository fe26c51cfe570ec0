package org.tamanoir.node.manage;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.net.NetworkInterface;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.tamanoir.node.deploy.CertificateWatch;
import org.tamanoir.node.deploy.tuf.MetadataFollower;
import org.tamanoir.node.fleet.FleetView;
import org.tamanoir.node.link.LinkCounters;
import org.tamanoir.node.tcpstate.TcpStateCounters;
import org.tamanoir.node.transport.TcpSockets;

/** What a node says of itself: {@code /health}, {@code /status} and {@code /links}, as they are written in JSON. */
final class NodeStatus {
    private final NodeParts parts;
    private final LiveConfiguration live;
    private final Supplier<String> refusedFile;
    private final Supplier<String> unaudited;
    private final Supplier<String> lost;
    private final Supplier<FleetView> fleet;
    private volatile boolean stopping;

    /**
     * @param refusedFile why the configuration file as it is now is not in force; null if it is
     * @param unaudited   why the audit log cannot be written; null if it can
     * @param lost        why what the fleet had said before the start is not in force; null if it is
     * @param fleet       how the node stands with its fleet; null if it is in none
     */
    NodeStatus(NodeParts parts, LiveConfiguration live, Supplier<String> refusedFile, Supplier<String> unaudited, Supplier<String> lost, Supplier<FleetView> fleet) {
        this.lost = lost;
        this.fleet = fleet;
        this.unaudited = unaudited;
        this.parts = parts;
        this.live = live;
        this.refusedFile = refusedFile;
    }

    /** Health says from now on that the node is stopping. */
    void stopping() {
        stopping = true;
    }

    /** {@code ok}, or what is wrong. */
    Map<String, Object> health() {
        Map<String, Object> wrong = new LinkedHashMap<>();
        Set<String> stuck = parts.watch().stuck();
        wrong.put("stuckServices", stuck.isEmpty() ? null : stuck);
        wrong.put("trustProblem", parts.trust().problem());
        Map<String, String> certificates = CertificateWatch.expiring(Instant.now(), parts.deployer().operator().certificates());
        wrong.put("certificatesExpire", certificates.isEmpty() ? null : certificates);
        Map<String, String> metadata = new LinkedHashMap<>();
        parts.deployer().metadata().followers().stream().filter(each -> each.problem() != null).forEach(each -> metadata.put(each.name(), each.problem()));
        wrong.put("tuf", metadata.isEmpty() ? null : metadata);
        wrong.put("identity", parts.identity() == null ? null : parts.identity().problem());
        wrong.put("accessPolicy", parts.access().problem());
        wrong.put("overload", parts.streams().overload().problem());
        wrong.values().removeIf(Objects::isNull);
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("status", stopping ? "stopping" : wrong.isEmpty() ? "ok" : "degraded");
        health.putAll(wrong);
        String refused = refusedFile.get();
        if (refused != null) {
            health.put("configurationRefused", refused);
        }
        FleetView view = fleet.get();
        if (view != null && view.refused() != null) {
            health.put("fleetRefused", view.refused());
        }
        if (lost.get() != null) {
            health.put("fleetPartLost", lost.get());
        }
        if (unaudited.get() != null) {
            health.put("auditLog", unaudited.get());
        }
        return health;
    }

    static String version() {
        String version = NodeStatus.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("node", String.format("%016x", parts.id()));
        status.put("version", version());
        status.put("address", TcpSockets.text(parts.address()));
        status.put("health", health());
        status.put("uptimeMillis", ManagementFactory.getRuntimeMXBean().getUptime());
        status.put("streams", parts.streams().count());
        status.put("streamsOpened", parts.streams().counters().opened().sum());
        status.put("streamsOnKeptConnections", parts.streams().counters().reused().sum());
        status.put("streamsCompleted", parts.streams().counters().completed().sum());
        status.put("packetsIn", parts.streams().counters().packetsIn().sum());
        status.put("bytesIn", parts.streams().counters().bytesIn().sum());
        status.put("bytesOut", parts.streams().counters().bytesOut().sum());
        status.put("packetsBack", parts.streams().counters().packetsBack().sum());
        status.put("bytesBack", parts.streams().counters().bytesBack().sum());
        status.put("bytesReturned", parts.streams().counters().bytesReturned().sum());
        status.put("memoryBytes", parts.streams().retained());
        status.put("links", linkCounts());
        status.put("errors", parts.streams().counters().errorCounts());
        status.put("directMemoryBytes", PlatformDependent.usedDirectMemory());
        status.put("repositories", parts.deployer().repositories());
        status.put("tuf", parts.deployer().metadata().followers().stream().map(MetadataFollower::describe).toList());
        status.put("codeServer", parts.code() == null ? "none" : TcpSockets.text(parts.code()));
        status.put("trust", parts.trust().describe());
        status.put("identity", parts.identity() == null ? null : parts.identity().describe());
        status.put("probes", parts.probes().status());
        TcpStateCounters tcp = parts.streams().tcp().counters();
        status.put("tcpState", Map.of("reads", tcp.reads().sum(), "skipped", tcp.skipped().sum(), "memoryBytes", tcp.held().get()));
        status.put("kernel", parts.offload().kernel().status());
        status.put("cluster", parts.cluster().status());
        status.put("fleet", fleet.get());
        status.put("configuration", Map.of("changedByApi", live.changedByApi(), "overridden", live.overridden()));
        status.put("limits", live.inForce().limits().shown());
        return status;
    }

    /** What is next to the node, what comes from there and goes there, and what the handlers say that have to do with it. */
    Map<String, Object> links() {
        Map<String, Object> links = linkCounts();
        links.put("neighbours", parts.streams().links().settings().neighbours().stream().map(TcpSockets::text).toList());
        links.put("members", parts.streams().links().settings().members().stream().map(Object::toString).toList());
        NetworkInterface groups = parts.streams().links().settings().groups();
        links.put("interface", groups == null ? null : groups.getName());
        NetworkInterface heard = parts.streams().links().settings().heard();
        links.put("hears", heard == null ? null : heard.getName());
        links.put("ttl", parts.streams().links().settings().ttl());
        links.put("groups", parts.streams().links().joined());
        links.put("handlers", parts.streams().links().reports());
        return links;
    }

    private Map<String, Object> linkCounts() {
        LinkCounters counters = parts.streams().links().counters();
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("packetsIn", counters.in().sum());
        counts.put("bytesIn", counters.inOctets().sum());
        counts.put("packetsOut", counters.out().sum());
        counts.put("bytesOut", counters.outOctets().sum());
        counts.put("dropped", counters.drops());
        return counts;
    }
}
