package org.tamanoir.node.routing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.routing.told.ToldMessage;
import org.tamanoir.node.routing.told.ToldPolicy;
import org.tamanoir.node.routing.told.ToldPrefix;
import org.tamanoir.node.routing.told.ToldRoutes;
import org.tamanoir.node.routing.told.ToldStatus;
import org.tamanoir.node.routing.told.ToldTimes;
import org.tamanoir.node.routing.told.ToldWay;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.service.rule.Prefix;

/**
 * Tells the neighbours that are listed which destinations this node reaches, and puts into the table of routes what they tell. On one event loop; what is
 * public, from any thread. With no neighbour listed it does nothing.
 */
public final class ToldExchange implements AutoCloseable {
    /** A neighbour as an operator sees it. */
    public record Status(String at, boolean isUp, int told, int believed, long in, long out, Map<String, Long> refused) {
    }

    private static final Logger LOG = LoggerFactory.getLogger(ToldExchange.class);
    private static final long TICK = ToldTimes.USUAL.hello() / 4;
    /** Messages that wait for the loop; more are dropped, as the network may do. */
    private static final int MOST_WAITING = 1024;
    private static final long PATIENCE_SECONDS = 2;

    private final long node;
    private final RouteTable routes;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile Map<InetSocketAddress, Integer> listed = Map.of();
    private volatile List<ToldNeighbour> wanted = List.of();

    private volatile UdpLeg leg;
    private ToldRoutes told;
    private final Map<Integer, ToldNeighbour> neighbours = new TreeMap<>();
    private final Map<Integer, Boolean> up = new HashMap<>();
    private final List<Outgoing> outgoing = new ArrayList<>();
    private List<Route> configured;
    private long changes = -1;
    private ScheduledFuture<?> ticking;
    private boolean leaves;

    private record Outgoing(int slot, ToldMessage message) {
    }

    public ToldExchange(long node, RouteTable routes) {
        this.node = node == 0 ? 1 : node;
        this.routes = routes;
    }

    /** Messages go out by this socket from now on: that of the streams, so that neighbours know the sender. */
    public void open(UdpLeg socket) {
        leg = socket;
        configure(wanted);
    }

    /** These are the neighbours now. Those that were there before go on. */
    public void configure(List<ToldNeighbour> now) {
        wanted = now;
        if (leg != null) {
            leg.loop().execute(this::take);
        }
    }

    private void take() {
        List<ToldNeighbour> now = wanted;
        if (told == null && now.isEmpty() || leaves) {
            return;
        }
        long nanos = System.nanoTime();
        if (told == null) {
            told = new ToldRoutes(node, ToldTimes.USUAL, random::nextLong, (slot, message) -> outgoing.add(new Outgoing(slot, message)), nanos);
            ticking = leg.loop().scheduleWithFixedDelay(this::tick, TICK, TICK, TimeUnit.NANOSECONDS);
        }
        Map<InetSocketAddress, Integer> slots = new LinkedHashMap<>();
        for (ToldNeighbour neighbour : now) {
            Integer before = listed.get(neighbour.at());
            if (before != null) {
                slots.put(neighbour.at(), before);
            }
        }
        listed.forEach((at, slot) -> {
            if (!slots.containsKey(at)) {
                told.remove(slot, nanos);
                neighbours.remove(slot);
                up.remove(slot);
            }
        });
        routes.neighbours(now);
        for (ToldNeighbour neighbour : now) {
            int slot = slots.computeIfAbsent(neighbour.at(), at -> free());
            ToldNeighbour before = neighbours.put(slot, neighbour);
            if (before == null || !before.policy().equals(neighbour.policy())) {
                told.neighbour(slot, neighbour.policy(), nanos);
            }
        }
        listed = slots;
        changes = -1;
        done(nanos);
    }

    private int free() {
        int slot = 0;
        while (neighbours.containsKey(slot)) {
            slot++;
        }
        return slot;
    }

    /** A control packet of a datagram with option 15; on any loop. */
    public void datagram(Packet packet, InetSocketAddress sender) {
        Integer slot = listed.get(sender);
        UdpLeg socket = leg;
        if (slot == null || socket == null) {
            return;
        }
        ToldMessage message;
        try {
            message = ToldMessage.read(packet.buffer(), packet.payloadOffset(), packet.payloadLength());
        } catch (MalformedPacketException e) {
            message = null;
        }
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return;
        }
        ToldMessage read = message;
        socket.loop().execute(() -> {
            waiting.decrementAndGet();
            received(slot, read, sender);
        });
    }

    private void received(int slot, ToldMessage message, InetSocketAddress sender) {
        ToldNeighbour neighbour = neighbours.get(slot);
        if (neighbour == null || !neighbour.at().equals(sender)) {
            return;
        }
        long now = System.nanoTime();
        if (message == null) {
            told.malformed(slot);
        } else {
            told.received(slot, message, now);
        }
        done(now);
    }

    private void tick() {
        long now = System.nanoTime();
        List<Route> all = routes.all();
        if (all != configured) {
            configured = all;
            List<Prefix> own = all.stream().filter(Route::isDirect).map(Route::prefix).toList();
            told.configure(own, all.stream().map(Route::prefix).toList(), System.currentTimeMillis(), now);
        }
        neighbours.forEach((slot, neighbour) -> {
            HopHealth health = routes.hops().health(neighbour.at());
            told.available(slot, health == null || health.state(now).takesStreams(), now);
        });
        told.tick(now);
        done(now);
    }

    /** The table first and then the messages: what was told is never nearer than what is used. */
    private void done(long now) {
        if (told.changes() != changes) {
            changes = told.changes();
            routes.learn(told.ways().stream().filter(way -> way.slot() != ToldWay.HERE).map(this::learned).toList());
            neighbours.forEach((slot, neighbour) -> {
                boolean is = told.status(slot).isUp();
                if (!Boolean.valueOf(is).equals(up.put(slot, is))) {
                    LOG.info("neighbour {} {}", TcpSockets.text(neighbour.at()), is ? "tells and is told routes" : "tells no routes");
                }
            });
        }
        for (Outgoing each : outgoing) {
            ToldNeighbour neighbour = neighbours.get(each.slot());
            if (neighbour != null) {
                leg.write(packet(each.message()), neighbour.at());
            }
        }
        if (!outgoing.isEmpty()) {
            outgoing.clear();
            leg.flush();
        }
    }

    private static ByteBuf packet(ToldMessage message) {
        ByteBuf payload = PooledByteBufAllocator.DEFAULT.buffer(message.size());
        try {
            message.write(payload);
            return new PacketBuilder(Anep.TYPE_CONTROL).flags(Anep.FLAG_DISCARD_UNKNOWN).options(new PacketOptions().reach(true)).payload(payload)
                    .build(PooledByteBufAllocator.DEFAULT);
        } finally {
            payload.release();
        }
    }

    private LearnedRoute learned(ToldWay way) {
        ToldNeighbour next = neighbours.get(way.slot());
        return next == null ? new LearnedRoute(way.prefix(), null, ToldPrefix.UNREACHABLE, "is told by nobody any more, and not yet forgotten")
                : new LearnedRoute(way.prefix(), new Route(way.prefix(), List.of(new NextHop(next.at(), 1)), Ports.ALL, next.isSecure()), way.metric(),
                "is the shortest way that is told");
    }

    /** The neighbours, in the order of the configuration. Waits for the loop; not for calls from it. */
    public List<Status> status() {
        UdpLeg socket = leg;
        return socket == null || wanted.isEmpty() ? List.of()
                : CompletableFuture.supplyAsync(this::statusNow, socket.loop()).completeOnTimeout(List.of(), PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private List<Status> statusNow() {
        List<Status> all = new ArrayList<>();
        listed.forEach((at, slot) -> {
            ToldStatus status = told.status(slot);
            Map<String, Long> refused = new TreeMap<>();
            status.refused().forEach((why, count) -> refused.put(why.name().toLowerCase(Locale.ROOT).replace('_', '-'), count));
            all.add(new Status(TcpSockets.text(at), status.isUp(), status.told(), status.believed(), status.in(), status.out(), refused));
        });
        return all;
    }

    /** The node is stopping: neighbours are told no way any more, so that they lead no stream here. @return whether there are any */
    public boolean leave() {
        UdpLeg socket = leg;
        if (socket != null) {
            socket.loop().execute(() -> {
                leaves = true;
                long now = System.nanoTime();
                neighbours.forEach((slot, neighbour) -> {
                    ToldPolicy policy = neighbour.policy();
                    told.neighbour(slot, new ToldPolicy(List.of(), policy.believe(), policy.cost(), policy.most()), now);
                });
                if (told != null) {
                    done(now);
                }
            });
        }
        return !listed.isEmpty();
    }

    @Override
    public void close() {
        UdpLeg socket = leg;
        if (socket != null) {
            socket.loop().execute(() -> {
                if (ticking != null) {
                    ticking.cancel(false);
                }
            });
        }
    }
}
