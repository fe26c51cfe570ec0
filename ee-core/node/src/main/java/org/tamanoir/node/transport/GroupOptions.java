package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a socket sends to groups. A socket of Netty's epoll is one for IPv6 that IPv4 goes through too, so both families are told; the
 * numbers are Linux's (ip(7), ipv6(7)). What other sockets have joined does not come to one: Netty and Java switch IP_MULTICAST_ALL off.
 */
final class GroupOptions {
    private static final Logger LOG = LoggerFactory.getLogger(GroupOptions.class);
    private static final int IPPROTO_IP = 0;
    private static final int IPPROTO_IPV6 = 41;
    /** Octets of {@code struct ip_mreqn}: group, address, index of the interface. */
    private static final int MREQN = 12;
    private static final RawUnixChannelOption INTERFACE4 = new RawUnixChannelOption("IP_MULTICAST_IF", IPPROTO_IP, 32, MREQN);
    private static final IntegerUnixChannelOption TTL4 = new IntegerUnixChannelOption("IP_MULTICAST_TTL", IPPROTO_IP, 33);
    private static final IntegerUnixChannelOption INTERFACE6 = new IntegerUnixChannelOption("IPV6_MULTICAST_IF", IPPROTO_IPV6, 17);
    private static final IntegerUnixChannelOption TTL6 = new IntegerUnixChannelOption("IPV6_MULTICAST_HOPS", IPPROTO_IPV6, 18);

    private GroupOptions() {
    }

    /** Which interface datagrams to groups leave by, and how many hops they may go. */
    static void sending(Channel channel, NetworkInterface by, int ttl) {
        if (channel instanceof EpollDatagramChannel) {
            ByteBuffer request = ByteBuffer.allocate(MREQN).order(ByteOrder.nativeOrder()).putInt(8, by.getIndex());
            set(channel, INTERFACE4, request);
            set(channel, TTL4, ttl);
            set(channel, INTERFACE6, by.getIndex());
            set(channel, TTL6, ttl);
        } else {
            set(channel, ChannelOption.IP_MULTICAST_IF, by);
            set(channel, ChannelOption.IP_MULTICAST_TTL, ttl);
        }
    }

    private static <T> void set(Channel channel, ChannelOption<T> option, T value) {
        try {
            channel.config().setOption(option, value);
        } catch (ChannelException e) {
            // A host without one of the two families, or an interface without addresses of it.
            LOG.debug("{} is not set: {}", option, e.getMessage());
        }
    }
}
