package org.tamanoir.services.collect;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;

/**
 * Collective operations of groups, combined in the nodes on the way. Type ID 0x540E. A member opens a stream to the root of its group, a node; every node on the way ends
 * that stream, and has one connection of its own toward the root for all of the group that come through it.
 */
@Component(service = ActiveService.class)
public final class Collect implements FlowSink, Inspected {
    /** How exactly timers run. */
    private static final Duration TICK = Duration.ofMillis(10);
    private static final int MOST_SHOWN = 1000;

    private final Map<NodeGroup.Key, NodeGroup> groups = new ConcurrentHashMap<>();
    private final ServiceCounters counters = new ServiceCounters();
    private ServiceContext context;
    private Limits limits;
    private boolean ticking;

    @Override
    public void start(ServiceContext service) {
        context = service;
        limits = Limits.of(service.configuration());
        counters.register(service.metrics());
        service.metrics().gauge("groups", "Groups that this node takes part in.", groups::size);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.transport() != Transport.TCP || stream.chain().size() != 1 || !stream.connectLater()) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "collect takes streams over TCP that name no other service and do not outlive their nodes");
        }
        return new BelowStream(this, stream, false);
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return new BelowStream(this, stream, true);
    }

    ServiceContext context() {
        return context;
    }

    Limits limits() {
        return limits;
    }

    ServiceCounters counters() {
        return counters;
    }

    long now() {
        return context.nanoTime();
    }

    /** The first frame of a stream. @throws AnepException if it may not join */
    void join(BelowStream stream, Frame.Join join) {
        NodeGroup.Key key = new NodeGroup.Key(stream.isAtRoot() ? null : stream.stream().destination(), join.name(), join.epoch());
        NodeGroup group;
        do {
            group = groups.get(key);
            if (group == null) {
                if (groups.size() >= limits.groups()) {
                    throw new AnepException(ErrorCode.SERVICE_LIMIT, "this node takes part in " + limits.groups() + " groups and in no more");
                }
                group = groups.computeIfAbsent(key, unused -> new NodeGroup(this, key, join));
            }
        } while (!group.join(stream, join));
        tickSoon();
    }

    void forget(NodeGroup group) {
        groups.remove(group.key(), group);
    }

    private synchronized void tickSoon() {
        if (!ticking) {
            ticking = true;
            context.later(TICK, this::tick);
        }
    }

    private void tick() {
        synchronized (this) {
            ticking = false;
        }
        long now = now();
        groups.values().forEach(group -> group.tick(now));
        if (!groups.isEmpty()) {
            tickSoon();
        }
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals("groups")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "collect shows 'groups' and not '" + what + "'");
        }
        List<Map<String, Object>> shown = groups.values().stream().limit(MOST_SHOWN).map(NodeGroup::shown).toList();
        return Map.of("groups", shown);
    }
}
