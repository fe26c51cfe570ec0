package org.tamanoir.service.qos;

import org.tamanoir.service.Transport;

/**
 * A class of a DiffServ domain, as this node's access to it has been provisioned.
 *
 * @param name      {@code EF}, {@code AF-TCP}, {@code AF-UDP}, {@code BE}, {@code LBE}, or another; unique
 * @param cost      the order of prices: a class with a lower number is taken before one with a higher
 * @param transport whose flows may use it; null for both
 * @param capacity  octets of IP packets a second that this node may send in it; 0 for a class without guarantee, in which nothing is allocated
 * @param green     code point of packets in profile, 0 to 63
 * @param yellow    code point of packets over the committed burst; the same as green in a class without drop precedence
 * @param red       code point of packets out of profile that are still sent in the class
 */
public record QosClass(String name, int cost, Transport transport, long capacity, int green, int yellow, int red) {
    /** Whether flows of a transport may use it. */
    public boolean takes(Transport flow) {
        return transport == null || transport == flow;
    }

    /** Whether there is a share to allocate. */
    public boolean isProvisioned() {
        return capacity > 0;
    }
}
