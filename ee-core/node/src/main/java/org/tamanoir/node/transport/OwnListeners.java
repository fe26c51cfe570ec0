package org.tamanoir.node.transport;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Where the node itself listens: for streams, and for those who manage it. No stream is ever led there. Any thread. */
public final class OwnListeners {
    private final List<InetSocketAddress> listeners = new CopyOnWriteArrayList<>();

    /** @param listener with its real port; null is none */
    public void add(InetSocketAddress listener) {
        if (listener != null) {
            listeners.add(listener);
        }
    }

    public void remove(InetSocketAddress listener) {
        listeners.remove(listener);
    }

    /** Whether a connection to an address would come to one of them. */
    public boolean contains(InetSocketAddress address) {
        return listeners.stream().anyMatch(each -> each.equals(address) || covers(each, address) && isOwn(address.getAddress()));
    }

    /** Whether others than this machine can reach the node. */
    public boolean areReachable() {
        return listeners.stream().anyMatch(each -> !each.getAddress().isLoopbackAddress());
    }

    /** Whether one listens on every address, and at the port of this one; on Linux a listener of IPv6 takes IPv4 too. */
    public static boolean covers(InetSocketAddress listener, InetSocketAddress address) {
        return listener.getPort() == address.getPort() && listener.getAddress().isAnyLocalAddress()
                && (listener.getAddress() instanceof Inet6Address || address.getAddress() instanceof Inet4Address);
    }

    private static boolean isOwn(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
