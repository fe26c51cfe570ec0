package org.tamanoir.service.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

/**
 * One handler of links. Datagrams are lent as a node lends them; what the handler sends is kept as copies, with the address that it went
 * to. {@link #close()} ends the handler and fails if a buffer was not given back.
 *
 * <pre>{@code
 * LinkHarness links = harness.openLinks(true, above, below);
 * links.deliver(from, packet);
 * assertThat(links.sent()).singleElement().extracting(Sent::to).isEqualTo(above);
 * links.advance(Duration.ofMillis(250));
 * }</pre>
 */
public final class LinkHarness implements AutoCloseable {
    // One allocator a handler: what it has in use at the end is what the handler did not give back.
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final VirtualTime time;
    private final RunnableTimers timers;
    private final ServiceContext service;
    private final LinkHandler handler;
    private final List<Sent> sent = new ArrayList<>();
    private final Set<InetSocketAddress> joined = new LinkedHashSet<>();
    private List<InetSocketAddress> neighbours;
    private boolean groups;
    private boolean writable = true;
    private boolean closed;

    LinkHarness(LinkService linked, ServiceContext service, VirtualTime time, boolean groups, InetSocketAddress... neighbours) throws Exception {
        this.groups = groups;
        this.neighbours = List.of(neighbours);
        this.time = time;
        this.timers = new RunnableTimers(time, "a handler", Links.MOST_TIMERS);
        this.service = service;
        this.handler = linked.openLinks(new Ways());
        if (handler == null) {
            throw new ContractViolation("openLinks() returned null");
        }
    }

    /** Other nodes are next to this one, as after a change of its configuration. */
    public LinkHarness neighbours(InetSocketAddress... addresses) {
        neighbours = List.of(addresses);
        return this;
    }

    /** Whether the node has an interface for groups, as after a change of its configuration. */
    public LinkHarness groups(boolean has) {
        groups = has;
        return this;
    }

    /** Whether the socket has room: what {@code send} returns. True unless it is set. */
    public LinkHarness writable(boolean has) {
        writable = has;
        return this;
    }

    /** Datagrams of one sender that are read at once; the handler hears the end of them. */
    public LinkHarness deliver(InetSocketAddress from, Packet... datagrams) throws Exception {
        for (Packet datagram : datagrams) {
            show(from, ByteBufUtil.getBytes(datagram.buffer(), datagram.offset(), datagram.length()));
        }
        handler.onReadComplete();
        return this;
    }

    /** A datagram that is read alone; its buffer is released. */
    public LinkHarness deliver(InetSocketAddress from, ByteBuf datagram) throws Exception {
        try {
            return deliver(from, Packet.of(datagram));
        } finally {
            datagram.release();
        }
    }

    private void show(InetSocketAddress from, byte[] octets) throws Exception {
        if (closed) {
            throw new IllegalStateException("the handler is closed");
        }
        LentPacket lent = new LentPacket(allocator, octets, time.nanos());
        String broken;
        try {
            lent.view().checkOptions();
            if (lent.view().has(OptionType.DESTINATION)) {
                throw new IllegalArgumentException("a datagram that names a destination belongs to a stream");
            }
            handler.onPacket(lent.view(), from);
        } finally {
            broken = lent.takeBack();
        }
        if (broken != null) {
            throw new ContractViolation(broken);
        }
    }

    /** Lets time pass for everything of the service; timers run in order, each at its time. */
    public LinkHarness advance(Duration by) throws Exception {
        time.advance(by);
        return this;
    }

    /** What it has sent since this was asked last, in order. */
    public List<Sent> sent() {
        List<Sent> all = List.copyOf(sent);
        sent.clear();
        return all;
    }

    /** The groups that it has joined. */
    public Set<InetSocketAddress> joined() {
        return Set.copyOf(joined);
    }

    /** Timers that wait. */
    public int timers() {
        return timers.count();
    }

    public Map<String, Object> report() {
        return handler.report();
    }

    /** Octets of buffers that it holds. */
    public long octetsHeld() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    /** Ends the handler, as an upgrade does; a second call does nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        timers.close();
        joined.clear();
        handler.close();
        if (octetsHeld() != 0) {
            throw new ContractViolation(octetsHeld() + " octets of buffers were not released when the handler closed");
        }
    }

    long untilDue(long now) {
        return timers.untilDue(now);
    }

    /** Runs the timer that is due first. */
    void runTimer() {
        timers.take().run();
    }

    /** What the handler is given. */
    private final class Ways implements Links {
        @Override
        public ServiceContext service() {
            return service;
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
        public ByteBufAllocator allocator() {
            return allocator;
        }

        @Override
        public boolean send(ByteBuf packet, InetSocketAddress to) {
            try {
                byte[] octets = ByteBufUtil.getBytes(packet);
                Packet copy = Packet.of(Unpooled.wrappedBuffer(octets));
                copy.checkOptions();
                boolean taken = !closed && writable && (groups || !to.getAddress().isMulticastAddress());
                return taken && sent.add(new Sent(copy, to));
            } catch (MalformedPacketException e) {
                throw new ContractViolation("something was sent that is no packet: " + e.getMessage());
            } finally {
                packet.release();
            }
        }

        @Override
        public boolean relaysGroups() {
            return false;
        }

        @Override
        public boolean hasGroups() {
            return groups;
        }

        @Override
        public boolean join(InetSocketAddress group) {
            boolean may = !closed && groups && group.getAddress().isMulticastAddress();
            return joined.contains(group) || may && joined.size() < MOST_GROUPS && joined.add(group);
        }

        @Override
        public void leave(InetSocketAddress group) {
            joined.remove(group);
        }

        @Override
        public List<InetSocketAddress> neighbours() {
            return neighbours;
        }
    }
}
