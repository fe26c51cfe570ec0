package org.tamanoir.node.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;

/** The groups that handlers have joined: a socket for each, whoever shares it. For any thread. */
final class LinkGroups {
    private static final Logger LOG = LoggerFactory.getLogger(LinkGroups.class);

    /** A socket that is bound to a group, and how many handlers want it. */
    private static final class Joined {
        private final LinkLoop loop;
        private UdpLeg socket;
        private int handlers;

        private Joined(LinkLoop loop) {
            this.loop = loop;
        }
    }

    /** It does not look for the addresses of the host more often. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final UdpSockets sockets;
    private final Map<InetSocketAddress, Joined> groups = new HashMap<>();
    private NetworkInterface on;
    private InetSocketAddress sender;
    private volatile Set<InetAddress> own = Set.of();
    private volatile long ownNanos;
    private volatile int port;

    LinkGroups(UdpSockets sockets) {
        this.sockets = sockets;
    }

    /** Where handlers send from. */
    synchronized void sendingFrom(InetSocketAddress address) {
        sender = address;
        port = address.getPort();
        look();
    }

    /** What this node's datagrams have as their source: where it listens on every address, any of the host's. */
    private Set<InetAddress> ownAddresses() {
        if (on == null || sender == null || !sender.getAddress().isAnyLocalAddress()) {
            return sender == null ? Set.of() : Set.of(sender.getAddress());
        }
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            return on.inetAddresses().collect(Collectors.toUnmodifiableSet());
        }
    }

    /** Whether a datagram that came to a group is one of this node's. An interface may have been given the address since it was last looked. */
    boolean isOwn(InetSocketAddress from) {
        if (from.getPort() != port) {
            return false;
        }
        if (!own.contains(from.getAddress()) && System.nanoTime() - ownNanos > LOOK_NANOS) {
            look();
        }
        return own.contains(from.getAddress());
    }

    private synchronized void look() {
        ownNanos = System.nanoTime();
        own = ownAddresses();
    }

    /**
     * A handler wants a group's datagrams.
     *
     * @param loop of the handler; it calls
     * @return false if the node has no interface for groups or the kernel refuses
     */
    synchronized boolean join(InetSocketAddress group, LinkLoop loop) {
        Joined joined = groups.get(group);
        if (joined == null) {
            if (on == null || group.getAddress() == null || !group.getAddress().isMulticastAddress() || group.getPort() == 0) {
                return false;
            }
            joined = new Joined(loop);
            if (!open(group, joined)) {
                return false;
            }
            groups.put(group, joined);
        }
        joined.handlers++;
        return true;
    }

    private boolean open(InetSocketAddress group, Joined joined) {
        try {
            joined.socket = sockets.join(joined.loop.leg().loop(), group, on, joined.loop.ofGroups());
            return true;
        } catch (AnepException e) {
            LOG.warn("{}", e.getMessage());
            return false;
        }
    }

    /** One handler less wants a group. */
    synchronized void leave(InetSocketAddress group) {
        Joined joined = groups.get(group);
        if (joined != null && --joined.handlers == 0) {
            groups.remove(group);
            close(joined);
        }
    }

    private static void close(Joined joined) {
        if (joined.socket != null) {
            joined.socket.close();
            joined.socket = null;
        }
    }

    /** Groups are joined on another interface from now on, also those that are joined already; null for none. */
    synchronized void on(NetworkInterface changed) {
        on = changed;
        look();
        List.copyOf(groups.keySet()).forEach(group -> {
            Joined joined = groups.get(group);
            close(joined);
            if (changed != null) {
                joined.loop.execute(() -> again(group, joined));
            }
        });
    }

    private synchronized void again(InetSocketAddress group, Joined joined) {
        if (groups.get(group) == joined && joined.socket == null && on != null) {
            open(group, joined);
        }
    }

    /** Their addresses, as text. */
    synchronized Set<String> names() {
        return groups.keySet().stream().map(TcpSockets::text).collect(Collectors.toCollection(TreeSet::new));
    }
}
