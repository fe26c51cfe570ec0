package org.tamanoir.node.link;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which of a node's addresses its neighbours have spoken to, so that they are answered from there: who asks a virtual address takes no answer from
 * another one. Nodes with one address pay for a look at a field. For any thread.
 */
final class ReturnWays {
    /** Peers that are remembered; beyond it the one that was silent the longest is answered from the node's own address. */
    private static final int MOST = 65_536;

    private final Map<InetSocketAddress, InetSocketAddress> byPeer = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, InetSocketAddress> eldest) {
            return size() > MOST;
        }
    };
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
