package org.tamanoir.dyram.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.tamanoir.anep.Packet;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Core;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Outlet;

/**
 * Endpoints, the pipes between them, and a clock that jumps from event to event. The same seed gives the same run to the octet. Every message
 * is encoded when it is sent and decoded when it arrives.
 */
public final class Simulation {
    /** Octets of IPv4 and UDP headers. */
    private static final int IP_UDP = 28;
    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(false);

    /** Who is told of everything that is sent. */
    @FunctionalInterface
    public interface Observer {
        /** @param arrives when; -1 if it was lost */
        void sent(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives);
    }

    private record Event(long at, long order, Runnable action) {
    }

    private record Way(InetSocketAddress from, InetSocketAddress to) {
    }

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> a.at() != b.at() ? Long.compare(a.at(), b.at())
            : Long.compare(a.order(), b.order()));
    private final Map<InetSocketAddress, Core> endpoints = new HashMap<>();
    private final Map<InetSocketAddress, Long> timers = new HashMap<>();
    private final Map<Way, OneWayLink> pipes = new LinkedHashMap<>();
    private final Map<Way, List<InetSocketAddress>> groups = new HashMap<>();
    private final Map<InetSocketAddress, String> names = new HashMap<>();
    private Observer observer = (now, from, to, message, arrives) -> { };
    private long now;
    private long order;
    private int hosts;

    public Simulation(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Randomness for whatever belongs to this run. */
    public SplittableRandom random() {
        return random.split();
    }

    public long now() {
        return now;
    }

    public void observer(Observer newObserver) {
        observer = newObserver;
    }

    /** An address for somebody. */
    public InetSocketAddress address(String name) {
        hosts++;
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, (byte) (hosts >> 16),
                    (byte) (hosts >> 8), (byte) hosts}), 3322);
            names.put(address, name);
            return address;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four octets are an address", e);
        }
    }

    /** The name that was given with an address. */
    public String name(InetSocketAddress address) {
        return names.getOrDefault(address, address.toString());
    }

    /** The outlet of whoever is at an address. */
    public Outlet outlet(InetSocketAddress from) {
        return (message, to) -> send(from, message, to);
    }

    /** Somebody runs at an address from now on; another one that ran there is gone. Null: nobody does. */
    public void run(InetSocketAddress address, Core endpoint) {
        timers.remove(address);
        if (endpoint == null) {
            endpoints.remove(address);
            return;
        }
        endpoints.put(address, endpoint);
        endpoint.start(now);
        after(address, endpoint);
    }

    /** A link in both directions. */
    public void link(InetSocketAddress a, InetSocketAddress b, long delayNanos) {
        pipes.put(new Way(a, b), new OneWayLink(name(a) + " to " + name(b), delayNanos, random.split()));
        pipes.put(new Way(b, a), new OneWayLink(name(b) + " to " + name(a), delayNanos, random.split()));
    }

    /** One direction of a link. */
    public OneWayLink pipe(InetSocketAddress from, InetSocketAddress to) {
        OneWayLink pipe = pipes.get(new Way(from, to));
        if (pipe == null) {
            throw new IllegalArgumentException("no link from " + name(from) + " to " + name(to));
        }
        return pipe;
    }

    /** Somebody hears what a neighbour sends to a group. */
    public void hear(InetSocketAddress from, InetSocketAddress group, InetSocketAddress listener) {
        groups.computeIfAbsent(new Way(from, group), unused -> new ArrayList<>()).add(listener);
    }

    private void send(InetSocketAddress from, Message message, InetSocketAddress to) {
        ByteBuf packet = Codec.encode(message, HEAP);
        byte[] octets = new byte[packet.readableBytes()];
        packet.readBytes(octets);
        packet.release();
        if (to.getAddress().isMulticastAddress()) {
            for (InetSocketAddress listener : groups.getOrDefault(new Way(from, to), List.of())) {
                send(from, message, octets, listener, pipe(from, listener));
            }
        } else {
            OneWayLink pipe = pipes.get(new Way(from, to));
            if (pipe != null) {
                send(from, message, octets, to, pipe);
            }
        }
    }

    private void send(InetSocketAddress from, Message message, byte[] octets, InetSocketAddress to, OneWayLink pipe) {
        int copies = pipe.duplicates() ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long arrives = pipe.enter(now, message, octets.length + IP_UDP);
            observer.sent(now, from, to, message, arrives);
            if (arrives >= 0) {
                at(arrives, () -> arrive(from, octets, to));
            }
        }
    }

    private void arrive(InetSocketAddress from, byte[] octets, InetSocketAddress to) {
        Core endpoint = endpoints.get(to);
        if (endpoint != null) {
            endpoint.onMessage(now, Codec.decode(Packet.of(Unpooled.wrappedBuffer(octets.clone()))), from);
            after(to, endpoint);
        }
    }

    private void after(InetSocketAddress address, Core endpoint) {
        endpoint.flush(now);
        long deadline = Math.max(now, endpoint.deadline());
        if (deadline != Long.MAX_VALUE && timers.getOrDefault(address, Long.MAX_VALUE) > deadline) {
            timers.put(address, deadline);
            at(deadline, () -> expire(address, endpoint, deadline));
        }
    }

    private void expire(InetSocketAddress address, Core endpoint, long deadline) {
        if (endpoints.get(address) != endpoint || timers.getOrDefault(address, Long.MAX_VALUE) != deadline) {
            return;
        }
        timers.remove(address);
        endpoint.onTimer(now);
        after(address, endpoint);
    }

    /** Something happens at a time. */
    public void at(long time, Runnable action) {
        events.add(new Event(time, order++, action));
    }

    /** Somebody outside has changed an endpoint: its deadline is looked at again. */
    public void touched(InetSocketAddress address) {
        after(address, endpoints.get(address));
    }

    /** Runs until something is so. @return whether it is so; false if the time is over or nothing happens any more */
    public boolean runUntil(BooleanSupplier done, long limit) {
        while (!done.getAsBoolean()) {
            Event event = events.poll();
            if (event == null || event.at() > limit) {
                return false;
            }
            now = Math.max(now, event.at());
            event.action().run();
        }
        return true;
    }

    /** Runs for some time. */
    public void runFor(long nanos) {
        long end = now + nanos;
        at(end, () -> { });
        runUntil(() -> now >= end, end);
    }
}
