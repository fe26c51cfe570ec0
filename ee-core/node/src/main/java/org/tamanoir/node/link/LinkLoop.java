package org.tamanoir.node.link;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.link.LinkCounters.Drop;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.service.link.LinkService;

/** The datagrams for the node itself that come up on one event loop, and the socket that its handlers send from. On that loop. */
public final class LinkLoop {
    private final LinkServices services;
    private final UdpLeg leg;
    private final UdpLeg.Receiver ofGroups;
    private final int number;
    private final List<LinkSlot> touched = new ArrayList<>();
    private final List<LinkSlot> toWake = new ArrayList<>();
    /** By their own addresses; most nodes have none. */
    private final Map<InetSocketAddress, UdpLeg> others = new ConcurrentHashMap<>();
    private boolean otherUnflushed;
    private ServiceWatch.Mark mark;
    private long readNanos;

    /** @param ofGroups who gets the datagrams of groups that are joined on this loop */
    LinkLoop(LinkServices services, UdpLeg leg, UdpLeg.Receiver ofGroups, int number) {
        this.services = services;
        this.leg = leg;
        this.ofGroups = ofGroups;
        this.number = number;
    }

    /** Datagrams come in by one more socket, on the same loop; who speaks by it is answered by it. Returns itself. */
    public LinkLoop alsoBy(UdpLeg other) {
        others.put(other.address(), other);
        return this;
    }

    /** A peer has sent a datagram for the node by that socket. On the loop of the socket. */
    public void cameBy(UdpLeg by, InetSocketAddress peer) {
        if (by != leg) {
            services.ways().cameBy(peer, by.address());
        } else {
            services.ways().cameBy(peer, null);
        }
    }

    /** The socket by which a peer is to be answered. */
    UdpLeg legTo(InetSocketAddress peer) {
        InetSocketAddress at = services.ways().to(peer);
        UdpLeg other = at == null ? null : others.get(at);
        if (other == null) {
            return leg;
        }
        otherUnflushed = true;
        return other;
    }

    /**
     * A datagram that names no destination, lent during the call; header and options are good.
     *
     * @return false if it is for no service that speaks on links: nothing has happened then
     */
    public boolean datagram(Packet packet, InetSocketAddress from) {
        LinkType type = services.type(packet.typeId());
        if (type == null) {
            return false;
        }
        if (!isListed(from)) {
            return true;
        }
        counters().in().increment();
        counters().inOctets().add(packet.length());
        if (readNanos == 0) {
            readNanos = System.nanoTime();
        }
        List<LinkSlot> slots = type.slots();
        long id = packet.streamId();
        if (id != 0) {
            show(slots.get(slotOf(id, slots.size())), packet, from);
        } else {
            for (int i = 0; i < slots.size(); i++) {
                show(slots.get(i), packet, from);
            }
        }
        return true;
    }

    /** Whether somebody may be heard at all; one who may not is counted and gets no answer, so that nothing can be sent to others in his name. */
    private boolean isListed(InetSocketAddress from) {
        if (services.settings().isListed(from.getAddress())) {
            return true;
        }
        counters().drop(Drop.NOT_LISTED);
        return false;
    }

    private void show(LinkSlot slot, Packet packet, InetSocketAddress from) {
        if (slot.loop() != this) {
            if (slot.offer(packet, from)) {
                toWake.add(slot);
            }
        } else if (slot.read(packet, from, readNanos)) {
            touched.add(slot);
        }
    }

    /** Which of so many handlers a stream id belongs to; ids that follow each other spread (Knuth, TAOCP volume 3, section 6.4). */
    static int slotOf(long streamId, int slots) {
        return (int) (((streamId * 0x9E37_79B9_7F4A_7C15L) >>> 32) % slots);
    }

    /**
     * A datagram that names no destination, for a service that does not run here: the service is asked for and the datagram is dropped.
     *
     * @return false if a service runs here that does not speak on links: nothing has happened then
     */
    public boolean ask(Packet packet, InetSocketAddress from, Consumer<AnepException> failed) {
        RunningService running = services.running(packet.typeId());
        if (running != null && !(running.service() instanceof LinkService)) {
            return false;
        }
        if (!isListed(from)) {
            return true;
        }
        counters().drop(Drop.NO_SERVICE);
        // One that speaks on links and has no slots has become current this moment.
        if (running == null) {
            services.requests().want(packet.typeId(), from.getAddress(), why -> leg.loop().execute(() -> failed.accept(why)));
        }
        return true;
    }

    /** A datagram that came to a group and is not for the node itself. */
    public void misdirected() {
        counters().drop(Drop.MISDIRECTED);
    }

    /** Whether this node itself has sent a datagram that came to a group. */
    public boolean isOwn(InetSocketAddress from) {
        return services.groups().isOwn(from);
    }

    /** Nothing more comes for the moment. */
    public void readComplete() {
        readNanos = 0;
        for (int i = 0; i < toWake.size(); i++) {
            toWake.get(i).wake();
        }
        toWake.clear();
        if (!touched.isEmpty()) {
            for (int i = 0; i < touched.size(); i++) {
                touched.get(i).readComplete();
            }
            touched.clear();
            flush();
        }
    }

    // What slots and handlers ask.

    LinkServices services() {
        return services;
    }

    LinkCounters counters() {
        return services.counters();
    }

    UdpLeg leg() {
        return leg;
    }

    UdpLeg.Receiver ofGroups() {
        return ofGroups;
    }

    int number() {
        return number;
    }

    /** The mark of this loop's thread. */
    ServiceWatch.Mark mark() {
        if (mark == null) {
            mark = services.watch().ofThisThread();
        }
        return mark;
    }

    void execute(Runnable task) {
        leg.loop().execute(task);
    }

    void flush() {
        leg.flush();
        if (otherUnflushed) {
            otherUnflushed = false;
            others.values().forEach(UdpLeg::flush);
        }
    }

    /** Nothing comes in by the socket of that address any more. */
    void forget(InetSocketAddress address) {
        others.remove(address);
    }
}
