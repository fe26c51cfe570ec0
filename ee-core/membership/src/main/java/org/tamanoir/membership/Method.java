package org.tamanoir.membership;

/** How a director forwards to back ends (Linux Virtual Server). */
public enum Method {
    /** Addresses are translated, there and back: answers go through the director, which is the back ends' route. */
    NAT,
    /** Only the frame's address changes: back ends are on the director's link, have the virtual address, and answer by themselves. */
    DIRECT,
    /** Packets travel in packets (IPIP): back ends may be anywhere, have the virtual address, and answer by themselves. */
    TUNNEL
}
