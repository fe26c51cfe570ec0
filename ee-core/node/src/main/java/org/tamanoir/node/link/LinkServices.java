package org.tamanoir.node.link;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.service.StandIn;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;
import org.tamanoir.service.link.LinkService;

/** The services of a node that speak on links, and their handlers. For any thread. */
public final class LinkServices implements AutoCloseable {
    /** How long an event loop may take to answer; one that a service holds for good does not. */
    private static final int PATIENCE_SECONDS = 2;

    private final ServiceRegistry registry;
    private final ServiceWatch watch;
    private final ServiceRequests requests;
    private final LinkGroups groups;
    private final ReturnWays ways = new ReturnWays();
    private final LinkCounters counters = new LinkCounters();
    private volatile LinkSettings settings;
    private volatile List<LinkLoop> loops = List.of();
    /** Never changed, only replaced: loops read it for every datagram. */
    private volatile IntObjectMap<LinkType> types = new IntObjectHashMap<>();
    private boolean closed;

    /** @param source gets a service by its Type ID when a datagram asks for it */
    public LinkServices(LinkSettings settings, ServiceRegistry registry, IntFunction<CompletableFuture<RunningService>> source,
                        ServiceWatch watch, UdpSockets sockets) {
        this.settings = settings;
        this.registry = registry;
        this.watch = watch;
        this.requests = new ServiceRequests(source);
        this.groups = new LinkGroups(sockets);
        groups.on(settings.heard());
        registry.onCurrent(this::current);
    }

    /**
     * Datagrams come in by these sockets, each on a loop of its own; handlers send from them.
     *
     * @param ofGroups makes what gets the datagrams of groups that are joined on the loop of a socket
     * @return what each of them gives its datagrams to, in their order
     */
    public synchronized List<LinkLoop> open(List<UdpLeg> legs, Function<UdpLeg, UdpLeg.Receiver> ofGroups) {
        List<LinkLoop> opened = new ArrayList<>();
        for (UdpLeg leg : legs) {
            leg.groups(settings.groups(), settings.ttl());
            opened.add(new LinkLoop(this, leg, ofGroups.apply(leg), opened.size()));
        }
        groups.sendingFrom(legs.get(0).address());
        loops = List.copyOf(opened);
        return loops;
    }

    /** New streams get another version of a service: so do datagrams. */
    private synchronized void current(RunningService before, RunningService now) {
        int typeId = (now == null ? before : now).typeId();
        LinkType type = types.get(typeId);
        RunningService speaks = now != null && now.service() instanceof LinkService && !closed ? now : null;
        if (type == null && speaks == null) {
            return;
        }
        IntObjectMap<LinkType> changed = new IntObjectHashMap<>();
        changed.putAll(types);
        if (type == null) {
            type = new LinkType(loops);
            changed.put(typeId, type);
        }
        if (speaks == null && !(now != null && now.service() instanceof StandIn)) {
            changed.remove(typeId);
        }
        types = changed;
        type.current(speaks);
    }

    /** What is next to the node, from now on. */
    public synchronized void configure(LinkSettings changed) {
        boolean moved = !changed.hearsGroupsAsIn(settings);
        settings = changed;
        loops.forEach(loop -> loop.leg().groups(changed.groups(), changed.ttl()));
        if (moved) {
            groups.on(changed.heard());
        }
    }

    /** What is next to the node. */
    public LinkSettings settings() {
        return settings;
    }

    public LinkCounters counters() {
        return counters;
    }

    /** The groups that are joined, {@code GROUP:PORT}. */
    public Set<String> joined() {
        return groups.names();
    }

    /**
     * What one handler says.
     *
     * @param loop   its number, from 0
     * @param report of the handler; its timers and groups are the service's to tell
     */
    public record HandlerReport(String typeId, String name, String version, int loop, Map<String, Object> report) {
    }

    /** What the handlers say that are open, by Type ID and loop. Waits for their loops; not for calls from one. */
    public List<HandlerReport> reports() {
        Map<LinkSlot, CompletableFuture<HandlerReport>> asked = new LinkedHashMap<>();
        types.forEach((typeId, type) -> type.slots().forEach(slot -> asked.put(slot, ask(typeId, type, slot))));
        return asked.values().stream().map(future -> future.completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join())
                .filter(report -> report != null).toList();
    }

    private static CompletableFuture<HandlerReport> ask(int typeId, LinkType type, LinkSlot slot) {
        try {
            return CompletableFuture.supplyAsync(() -> {
                Map<String, Object> report = slot.report();
                RunningService service = type.current();
                return report == null || service == null ? null
                        : new HandlerReport(Anep.typeName(typeId), service.name(), service.version(), slot.loop().number(), report);
            }, slot.loop()::execute);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Nothing comes in at one of the node's further addresses any more. */
    public void forget(InetSocketAddress address) {
        ways.forget(address);
        loops.forEach(loop -> loop.forget(address));
    }

    /** Closes every handler and takes no datagram any more; waits a moment for their loops. */
    @Override
    public void close() {
        List<LinkType> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(types.values());
            types = new IntObjectHashMap<>();
        }
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (LinkType type : all) {
            type.current(null);
            // Behind what the line before has put there.
            type.slots().forEach(slot -> closing.add(CompletableFuture.runAsync(() -> { }, slot.loop()::execute)));
        }
        CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)).completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    // What loops and handlers ask.

    /** The Type ID's handlers; null if its service does not speak on links or is not there. */
    LinkType type(int typeId) {
        return types.get(typeId);
    }

    /** The version of a service that is current, whatever it does; null if there is none. */
    RunningService running(int typeId) {
        return registry.find(typeId);
    }

    ServiceRequests requests() {
        return requests;
    }

    ReturnWays ways() {
        return ways;
    }

    LinkGroups groups() {
        return groups;
    }

    ServiceWatch watch() {
        return watch;
    }

    /**
     * Which of a node's addresses its neighbours have spoken to, so that they are answered from there: who asks a virtual address takes no answer from
     * another one. Nodes with one address pay for a look at a field. For any thread.
     */
    static final class ReturnWays {
        /** Peers that are remembered; beyond it the one that was silent the longest is answered from the node's own address. */
        private static final int MOST = 65_536;

        private final Map<InetSocketAddress, InetSocketAddress> byPeer = BoundedMap.byUse(MOST);
        private volatile boolean any;

        /** @param at the further address that a peer has spoken to; null for the node's own */
        void cameBy(InetSocketAddress peer, InetSocketAddress at) {
            if (at == null && !any) {
                return;
            }
            synchronized (byPeer) {
                if (at == null) {
                    byPeer.remove(peer);
                } else {
                    byPeer.put(peer, at);
                }
                any = !byPeer.isEmpty();
            }
        }

        /** The address to answer a peer from; null for the node's own. */
        InetSocketAddress to(InetSocketAddress peer) {
            if (!any) {
                return null;
            }
            synchronized (byPeer) {
                return byPeer.get(peer);
            }
        }

        /** An address is no more. */
        void forget(InetSocketAddress at) {
            synchronized (byPeer) {
                byPeer.values().removeIf(at::equals);
                any = !byPeer.isEmpty();
            }
        }
    }
}
