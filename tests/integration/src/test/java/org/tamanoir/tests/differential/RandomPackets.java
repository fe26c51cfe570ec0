package org.tamanoir.tests.differential;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Random datagrams over the {@link Pool} of a round: most are good, some ask for more than the kernel does, some are damaged in their
 * header, cut, too long, in fragments. Written by the tables of docs/anep.md, without the code that reads them.
 */
final class RandomPackets {
    private static final int PUBLIC = 0;
    private static final int PRIVATE = 0x8000;

    private final Random random;
    private final Pool pool;

    RandomPackets(Random random, Pool pool) {
        this.random = random;
        this.pool = pool;
    }

    /** A datagram to the node, or past it; in a frame to an address of Ethernet. */
    Datagram next(byte[] mac) {
        boolean six = random.nextBoolean();
        InetSocketAddress to = pool.node(six);
        int elsewhere = random.nextInt(50);
        if (elsewhere == 0) {
            to = new InetSocketAddress(to.getAddress(), 3323);
        } else if (elsewhere == 1) {
            to = new InetSocketAddress(pool.destination(six), Pool.NODE_PORT);
        }
        return next(mac, pool.sender(six), to);
    }

    /** A datagram between two ends. */
    Datagram next(byte[] mac, InetSocketAddress from, InetSocketAddress to) {
        Datagram datagram = new Datagram(mac);
        datagram.source = from;
        datagram.destination = to;
        datagram.trafficClass = random.nextInt(256);
        datagram.identification = random.nextInt(0x10000);
        datagram.anep = damaged(anep());
        switch (random.nextInt(30)) {
            case 0 -> datagram.ttl = random.nextInt(2);
            case 1 -> datagram.ttl = 2 + random.nextInt(2);
            case 2 -> datagram.options = true;
            case 3 -> datagram.fragment = random.nextBoolean() ? Datagram.Fragment.FIRST : Datagram.Fragment.LATER;
            case 4, 5 -> datagram.checksum = false;
            case 6 -> datagram.cut = 1 + random.nextInt(40);
            default -> datagram.ttl = 2 + random.nextInt(254);
        }
        return datagram;
    }

    private byte[] anep() {
        List<byte[]> options = new ArrayList<>();
        if (random.nextInt(4) > 0) {
            options.add(address(2));
        }
        if (random.nextInt(6) == 0) {
            options.add(address(1));
        }
        if (random.nextInt(8) == 0) {
            options.add(option(PUBLIC, 4, octets(4 * (1 + random.nextInt(random.nextInt(10) == 0 ? 70 : 3)))));
        }
        if (random.nextInt(3) > 0) {
            options.add(option(PRIVATE, 1, ByteBuffer.allocate(16).putLong(pool.stream()).putLong(random.nextInt()).array()));
        }
        if (random.nextInt(8) == 0) {
            options.add(option(PRIVATE, 2, new byte[] {(byte) random.nextInt(2), (byte) random.nextInt(3), (byte) (random.nextInt(8) == 0 ? 1 : 0), 0}));
        }
        if (random.nextInt(30) == 0) {
            options.add(option(PRIVATE, 3, octets(4)));
        }
        if (random.nextInt(3) > 0) {
            options.add(option(PRIVATE, 4, octets(12)));
        }
        if (random.nextInt(20) > 0) {
            options.add(option(PRIVATE, 5, new byte[] {(byte) (random.nextInt(20) == 0 ? random.nextInt(2) : random.nextInt(256)),
                    (byte) random.nextInt(2), 0, 0}));
        }
        if (random.nextInt(3) == 0) {
            options.add(option(PRIVATE, 6, ByteBuffer.allocate(8).putLong(random.nextInt(8) == 0 ? 0 : pool.session()).array()));
        }
        if (random.nextInt(4) == 0) {
            options.add(option(PRIVATE, 7, octets(8)));
        }
        if (random.nextInt(30) == 0) {
            options.add(option(PRIVATE, 8, new byte[] {(byte) random.nextInt(4), 0, 0, 9}));
        }
        if (random.nextInt(40) == 0) {
            options.add(option(PRIVATE, 9, new byte[] {1, 45, 0, 0}));
        }
        if (random.nextInt(30) == 0) {
            options.add(option(random.nextBoolean() ? PUBLIC : PRIVATE, 10 + random.nextInt(0x3FF5), octets(4 * random.nextInt(3))));
        }
        if (random.nextInt(30) == 0) {
            options.add(option(PUBLIC, 3, octets(4)));
        }
        if (random.nextInt(40) == 0 && !options.isEmpty()) {
            options.add(options.get(random.nextInt(options.size())));
        }
        Collections.shuffle(options, random);
        int payload = random.nextInt(4) == 0 ? random.nextInt(1_480) : random.nextInt(200);
        return packet(options, payload);
    }

    private byte[] packet(List<byte[]> options, int payload) {
        int header = 8 + options.stream().mapToInt(each -> each.length).sum();
        ByteBuffer to = ByteBuffer.allocate(header + payload);
        to.put((byte) 1).put((byte) random.nextInt(256)).putShort((short) pool.type()).putShort((short) (header / 4));
        to.putShort((short) to.capacity());
        options.forEach(to::put);
        return to.put(octets(payload)).array();
    }

    /** An address option: of either family, of a scheme that is no IP, or of one that nobody knows. */
    private byte[] address(int type) {
        int scheme = random.nextInt(12) == 0 ? 3 + random.nextInt(2) : 1 + random.nextInt(2);
        InetAddress address = pool.destination(scheme == 2);
        byte[] value = scheme <= 2 ? address.getAddress() : octets(8);
        return option(PUBLIC, type, ByteBuffer.allocate(4 + value.length).putInt(scheme).put(value).array());
    }

    /** With the discard bit or without: for an option that is known it plays no part. */
    private byte[] option(int flag, int type, byte[] value) {
        int tag = flag | (random.nextBoolean() ? 0x4000 : 0) | type;
        return ByteBuffer.allocate(4 + value.length).putShort((short) tag).putShort((short) (1 + value.length / 4)).put(value).array();
    }

    private byte[] damaged(byte[] good) {
        byte[] octets = good;
        int header = Math.min(good.length, (good[4] & 0xFF) << 10 | (good[5] & 0xFF) << 2);
        switch (random.nextInt(40)) {
            case 0, 1, 2 -> octets[random.nextInt(header)] ^= (byte) (1 << random.nextInt(8));
            case 3 -> octets[random.nextInt(octets.length)] = (byte) random.nextInt(256);
            case 4 -> octets = Arrays.copyOf(good, random.nextInt(good.length));
            case 5 -> octets = Arrays.copyOf(good, good.length + 1 + random.nextInt(8));
            case 6 -> octets[5] = (byte) random.nextInt(80);
            case 7 -> {
                octets = Arrays.copyOf(good, random.nextInt(good.length));
                if (octets.length >= 8) {
                    ByteBuffer.wrap(octets).putShort(6, (short) octets.length);
                }
            }
            case 8 -> octets[random.nextInt(8)] = (byte) random.nextInt(256);
            default -> {
                // As it is.
            }
        }
        return octets;
    }

    private byte[] octets(int many) {
        byte[] octets = new byte[many];
        random.nextBytes(octets);
        return octets;
    }
}
