package org.tamanoir.lab;

/**
 * What a link is like, the same in both directions.
 *
 * @param mtu      octets of the largest IP packet, 1280 to 65,535
 * @param rate     the most that passes in one direction, as {@code tc} writes it ({@code 100mbit}), or null for no limit
 * @param segments whether the sender's kernel cuts TCP streams into packets of the MTU. Without it a veth pair hands on aggregates of up to
 *                 64 KB as one packet: faster, and right for throughput; with it every packet can be lost on its own
 * @param offloads whether the interfaces do for the kernel what a network card does: cut, join, check sums. Without it ({@code ethtool} is
 *                 needed) every packet has its own check sum and stands on the link as on a cable, so that a program may carry it on
 */
public record LinkOptions(int mtu, String rate, boolean segments, boolean offloads) {
    public static final LinkOptions DEFAULT = new LinkOptions(1500, null, false, true);

    public LinkOptions mtu(int mtu) {
        return new LinkOptions(mtu, rate, segments, offloads);
    }

    public LinkOptions rate(String rate) {
        return new LinkOptions(mtu, rate, segments, offloads);
    }

    public LinkOptions segments(boolean segments) {
        return new LinkOptions(mtu, rate, segments, offloads);
    }

    public LinkOptions offloads(boolean offloads) {
        return new LinkOptions(mtu, rate, segments, offloads);
    }
}
