package org.tamanoir.node.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.link.LinkCounters.Drop;
import org.tamanoir.node.service.CallBuffers;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

/**
 * One handler of one version of a service, and its way to its neighbours. Every call of it is watched; one that fails costs what it was
 * about. On its loop.
 */
final class OpenLinks implements Links {
    private static final Logger LOG = LoggerFactory.getLogger(OpenLinks.class);
    /** Datagrams that are gathered before they leave together: with Ethernet's largest they are a tenth of what may wait for the socket. */
    private static final int GATHERED = 64;

    private final RunningService service;
    private final LinkLoop loop;
    private final CallBuffers buffers;
    private final LinkTimers timers;
    private final Set<InetSocketAddress> joined = new HashSet<>();
    private final Packet view = new Packet();
    private LinkHandler handler;
    private boolean closed;
    private long packets;
    private int gathered;
    private Map<String, Object> reported;

    private OpenLinks(RunningService service, LinkLoop loop) {
        this.service = service;
        this.loop = loop;
        this.buffers = new CallBuffers(service, PooledByteBufAllocator.DEFAULT);
        this.timers = new LinkTimers(loop.leg().loop(), this::run);
        view.keptBy(service.keeper());
    }

    /** Opens a handler; null if the service opens none, or is retired. */
    static OpenLinks open(RunningService service, LinkLoop loop) {
        if (!service.openLinks()) {
            return null;
        }
        OpenLinks links = new OpenLinks(service, loop);
        if (links.called(() -> links.handler = ((LinkService) service.service()).openLinks(links))) {
            if (links.handler != null) {
                return links;
            }
            links.fail(new NullPointerException("it opened no handler"), false);
        }
        links.close();
        return null;
    }

    /** What a handler does in one call. */
    private interface Call {
        void run() throws Exception;
    }

    /** Runs a call of the service; false if it failed. */
    private boolean called(Call call) {
        buffers.reset();
        ServiceWatch.Mark mark = loop.mark();
        mark.enter(service);
        Throwable error = null;
        try {
            call.run();
        } catch (Throwable e) {
            error = e;
        }
        mark.leave();
        return ended(mark, error);
    }

    /** Shows the handler a datagram; false if that failed. As {@link #called}, but nothing is allocated. */
    boolean packet(ByteBuf buffer, int offset, int length, InetSocketAddress from, long nanos) {
        packets++;
        view.wrap(buffer, offset, length).receivedNanos(nanos);
        buffers.reset();
        ServiceWatch.Mark mark = loop.mark();
        mark.enter(service);
        Throwable error = null;
        try {
            handler.onPacket(view, from);
        } catch (Throwable e) {
            error = e;
        }
        mark.leave();
        return ended(mark, error);
    }

    private boolean ended(ServiceWatch.Mark mark, Throwable error) {
        boolean stopped = mark.wasStopped();
        if (error == null && !stopped) {
            return true;
        }
        fail(error, stopped);
        return false;
    }

    private void fail(Throwable error, boolean stopped) {
        service.error();
        AnepException why = stopped ? new AnepException(ErrorCode.SERVICE_TIMEOUT, service + " did not return in time", error)
                : error instanceof AnepException known ? known
                : new AnepException(ErrorCode.SERVICE_ERROR, service + " failed: " + error, error);
        // What a service refuses with a code of its own choice is the packet's fault: a sender must not be able to suspend a service.
        if (error != why || why.code() == ErrorCode.SERVICE_LIMIT || why.code() == ErrorCode.SERVICE_BAD_OUTPUT) {
            LOG.warn("a datagram or a task is lost: {}", why.getMessage());
            service.failed(why);
        }
    }

    /** Runs what is due. */
    private void run(Runnable task) {
        called(task::run);
        loop.flush();
    }

    /** Nothing more comes for the moment; whoever calls flushes. */
    void readComplete() {
        if (packets > 0) {
            service.packets(packets);
            packets = 0;
        }
        called(handler::onReadComplete);
    }

    Map<String, Object> report() {
        Map<String, Object> said = called(() -> reported = handler.report()) ? reported : Map.of("error", "it failed to report");
        reported = null;
        return said;
    }

    RunningService running() {
        return service;
    }

    /** Timers that wait. */
    int timers() {
        return timers.count();
    }

    /** The groups that it has joined. */
    Set<InetSocketAddress> groups() {
        return joined;
    }

    /** Ends it: no timer runs any more, nothing is sent, and its groups are left. */
    void close() {
        closed = true;
        timers.close();
        joined.forEach(loop.services().groups()::leave);
        joined.clear();
        if (handler != null) {
            service.packets(packets);
            called(handler::close);
        }
        service.closedLinks();
    }

    // What the handler asks.

    @Override
    public ServiceContext service() {
        return service.context();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    private void onOwnThread() {
        if (!loop.leg().loop().inEventLoop()) {
            throw new IllegalStateException("links are used on the thread of their handler only");
        }
    }

    @Override
    public Timer later(Duration delay, Runnable task) {
        onOwnThread();
        return closed ? () -> false : timers.later(delay, task);
    }

    @Override
    public ByteBufAllocator allocator() {
        return buffers;
    }

    @Override
    public boolean send(ByteBuf packet, InetSocketAddress to) {
        onOwnThread();
        boolean toGroup = to.getAddress() != null && to.getAddress().isMulticastAddress();
        if (closed || to.getAddress() == null || toGroup && !hasGroups()) {
            packet.release();
            loop.counters().drop(toGroup && !closed ? Drop.NO_INTERFACE : Drop.NO_HANDLER);
            return false;
        }
        int length = packet.readableBytes();
        if (!loop.legTo(to).write(packet, to)) {
            loop.counters().drop(Drop.SOCKET_FULL);
            return false;
        }
        loop.counters().out().increment();
        loop.counters().outOctets().add(length);
        if (++gathered >= GATHERED) {
            gathered = 0;
            loop.flush();
        }
        return true;
    }

    @Override
    public boolean hasGroups() {
        return loop.services().settings().groups() != null;
    }

    @Override
    public boolean relaysGroups() {
        return loop.services().settings().relaysGroups();
    }

    @Override
    public boolean join(InetSocketAddress group) {
        onOwnThread();
        if (joined.contains(group)) {
            return true;
        }
        boolean may = !closed && joined.size() < MOST_GROUPS && loop.services().groups().join(group, loop);
        return may && joined.add(group);
    }

    @Override
    public void leave(InetSocketAddress group) {
        onOwnThread();
        if (joined.remove(group)) {
            loop.services().groups().leave(group);
        }
    }

    @Override
    public List<InetSocketAddress> neighbours() {
        return loop.services().settings().neighbours();
    }
}
