package org.tamanoir.lab;

/**
 * What a link is like, the same in both directions.
 *
 * @param mtu      octets of the largest IP packet, 1280 to 65,535
 * @param rate     the most that passes in one direction, as {@code tc} writes it ({@code 100mbit}), or null for no limit
 * @param segments whether the sender's kernel cuts TCP streams into packets of the MTU. Without it a veth pair hands on aggregates of up to
 *                 64 KB as one packet: faster, and right for throughput; with it every packet can be lost on its own
 */
public record LinkOptions(int mtu, String rate, boolean segments) {
    public static final LinkOptions DEFAULT = new LinkOptions(1500, null, false);

    public LinkOptions mtu(int mtu) {
        return new LinkOptions(mtu, rate, segments);
    }

    public LinkOptions rate(String rate) {
        return new LinkOptions(mtu, rate, segments);
    }

    public LinkOptions segments(boolean segments) {
        return new LinkOptions(mtu, rate, segments);
    }
}
