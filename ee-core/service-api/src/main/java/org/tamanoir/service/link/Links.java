package org.tamanoir.service.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;

/** A handler's way to its neighbours. To be used on the handler's own thread only. */
public interface Links {
    /** Timers that one handler may have. */
    int MOST_TIMERS = 4096;
    /** Groups that one handler may have joined. */
    int MOST_GROUPS = 256;

    /** The service that the handler belongs to: its configuration, metrics and log. */
    ServiceContext service();

    /** The time in nanoseconds; only differences mean something. In the test kit it stands still until the test moves it. */
    long nanoTime();

    /** Runs a task on the handler's thread after some time; what is negative counts as zero. EE-309 beyond {@link #MOST_TIMERS}. */
    Timer later(Duration delay, Runnable task);

    /** Where to take buffers from. */
    ByteBufAllocator allocator();

    /**
     * Sends a whole packet, header included, from the address that the node listens on. The reference is given away. What is sent in one
     * call of the handler leaves at its end, or together with what is sent for the other datagrams that were read with it. What goes to a
     * group leaves by the node's interface for groups.
     *
     * @param to a host, a neighbour, or a group
     * @return whether it was taken: false if too much waits for the socket already, or if it is a group and the node has no interface for
     *         groups; the packet is dropped then
     */
    boolean send(ByteBuf packet, InetSocketAddress to);

    /** Whether the node has an interface for groups ({@code links: interface}). */
    boolean hasGroups();

    /**
     * Whether what is heard of a group may be sent to it again: the node hears groups on another interface ({@code links: hears}) than the
     * one by which they leave.
     */
    boolean relaysGroups();

    /**
     * Joins a group on the node's interface for hearing groups: what is sent there comes to the handlers of its Type ID's service as any other
     * datagram without a destination, but for what this node itself has sent. Joining twice does nothing.
     *
     * @return false if the node has no interface for groups, if the kernel refuses, or beyond {@link #MOST_GROUPS}
     */
    boolean join(InetSocketAddress group);

    /** Leaves a group; does nothing if it was not joined. */
    void leave(InetSocketAddress group);

    /** The nodes next to this one, as its configuration names them ({@code links: neighbours}): their ANEP addresses. */
    List<InetSocketAddress> neighbours();
}
