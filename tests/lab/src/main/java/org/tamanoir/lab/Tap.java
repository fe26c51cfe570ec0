package org.tamanoir.lab;

import java.net.InetAddress;

/**
 * The place of a {@link Director} on a {@link Bridge}: a tap of the router that the bridge is in, and what the director has at its end.
 *
 * @param name of the tap, in the router
 * @param mac  Ethernet address of the director's end, the same after a restart: nobody keeps a stale one
 * @param ipv4 of the director's end, /24
 * @param ipv6 of the director's end, /64
 */
public record Tap(String name, String mac, InetAddress ipv4, InetAddress ipv6) {
}
