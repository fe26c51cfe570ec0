package org.tamanoir.tests.differential;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Random;

/** The few addresses and numbers that the rules and packets of a round are made of, so that they meet. */
final class Pool {
    static final int NODE_PORT = 3322;
    private static final int MANY = 6;

    private final Random random;
    private final InetSocketAddress[][] senders = new InetSocketAddress[2][MANY];
    private final InetAddress[][] destinations = new InetAddress[2][MANY];
    private final InetAddress[][] nodes = new InetAddress[2][2];
    private final int[] types = {0, 0x5500, 0x5501, 0xFFFF};
    private final long[] sessions = {1, -1, 0x1122334455667788L};
    private final long[] streams = {0, 1, -1};

    Pool(Random random) {
        this.random = random;
        for (int i = 0; i < MANY; i++) {
            senders[0][i] = new InetSocketAddress(near(address("172.16.0.0")), 1_024 + random.nextInt(60_000));
            senders[1][i] = new InetSocketAddress(near(address("2001:db8:1::")), 1_024 + random.nextInt(60_000));
            destinations[0][i] = near(address(random.nextBoolean() ? "10.1.0.0" : "172.16.0.0"));
            destinations[1][i] = near(address(random.nextBoolean() ? "2001:db8:1::" : "fd00:0:0:1::"));
        }
        nodes[0] = new InetAddress[] {address("198.51.100.7"), address("203.0.113.8")};
        nodes[1] = new InetAddress[] {address("2001:db8:ffff::7"), address("2001:db8:ffff::8")};
    }

    /** An address that differs from another one in a few of its bits behind the first twelve. */
    private InetAddress near(InetAddress address) {
        byte[] octets = address.getAddress();
        for (int i = random.nextInt(4); i > 0; i--) {
            int bit = 12 + random.nextInt(octets.length * 8 - 12);
            if (octets.length == 16 && bit < 33) {
                bit += 40;
            }
            octets[bit >> 3] ^= (byte) (0x80 >> (bit & 7));
        }
        return of(octets);
    }

    static int any(Random random, int[] values) {
        return values[random.nextInt(values.length)];
    }

    int type() {
        return any(random, types);
    }

    Long session() {
        return sessions[random.nextInt(sessions.length)];
    }

    long stream() {
        return streams[random.nextInt(streams.length)];
    }

    InetSocketAddress sender(boolean six) {
        return senders[six ? 1 : 0][random.nextInt(MANY)];
    }

    InetAddress destination(boolean six) {
        return destinations[six ? 1 : 0][random.nextInt(MANY)];
    }

    /** One of the node's addresses. */
    InetSocketAddress node(boolean six) {
        return new InetSocketAddress(nodes[six ? 1 : 0][random.nextInt(2)], NODE_PORT);
    }

    InetAddress[] nodes() {
        return new InetAddress[] {nodes[0][0], nodes[0][1], nodes[1][0], nodes[1][1]};
    }

    /** A next hop that rules name, 1 or 2. Which one it is plays no part: the flow has the address. */
    InetSocketAddress target(int number) {
        return new InetSocketAddress(address("192.168.7." + number), NODE_PORT);
    }

    /** Where a flow goes. */
    InetSocketAddress next(boolean six) {
        int last = 1 + random.nextInt(200);
        return new InetSocketAddress(address(six ? "fd77::" + last : "192.168.3." + last), NODE_PORT);
    }

    /** The node's socket of a flow, which no other flow has. */
    InetSocketAddress local(boolean six, int slot) {
        return new InetSocketAddress(address(six ? "fd00:0:0:2::1" : "10.0.2.1"), 20_000 + slot);
    }

    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static InetAddress of(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
