package org.tamanoir.kernel;

import java.net.InetAddress;

/**
 * A change of an interface or address of this network namespace.
 *
 * @param kind    what changed
 * @param ifindex of the interface
 * @param address of the address events; null otherwise
 * @param name    of the interface, for links; empty otherwise
 * @param up      whether a link is up
 */
public record KernelEvent(Kind kind, int ifindex, InetAddress address, String name, boolean up) {
    /** The order is that of {@code TAM_EVENT_*}, which begins with 1. */
    public enum Kind {
        /** An interface is there, or its state has changed. */
        LINK_NEW,
        /** An interface has gone. */
        LINK_GONE,
        /** An address can be used. */
        ADDRESS_NEW,
        /** An address has gone. */
        ADDRESS_GONE,
        /** More happened than could be kept: all interfaces and addresses have to be looked at again. */
        LOST
    }
}
