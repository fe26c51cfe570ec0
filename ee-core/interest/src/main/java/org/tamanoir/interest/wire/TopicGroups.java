package org.tamanoir.interest.wire;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The code by which a light rule knows what the events of a datagram are about, without looking at them: the space and the group of their topic, in the option QoS
 * session. Topics are in {@value #COUNT} groups by a hash, so that a space needs no more rules than that whatever topics there are. Publishers and nodes have to compute
 * the same: services/interest/README.md says how, and the vectors have examples.
 */
public final class TopicGroups {
    /** Groups of a space. */
    public static final int COUNT = 512;
    private static final long OFFSET = 0xCBF2_9CE4_8422_2325L;
    private static final long PRIME = 0x0000_0100_0000_01B3L;
    /** Of every code: 0 is no session. */
    private static final long ALWAYS = 1L << 63;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF};

    private TopicGroups() {
    }

    /** The group of a topic, 0 to {@value #COUNT} - 1. */
    public static int of(String topic) {
        return group(hash(OFFSET, topic.getBytes(StandardCharsets.UTF_8)));
    }

    /** The group of a topic in UTF-8. */
    public static int of(ByteBuf in, int index, int length) {
        long hash = OFFSET;
        for (int i = index; i < index + length; i++) {
            hash = (hash ^ in.getUnsignedByte(i)) * PRIME;
        }
        return group(hash);
    }

    /** What the codes of a space have in common. @param root its address, resolved */
    public static long space(InetSocketAddress root) {
        byte[] address = root.getAddress().getAddress();
        long hash = hash(address.length == 4 ? hash(OFFSET, MAPPED) : OFFSET, address);
        byte[] port = {(byte) (root.getPort() >> 8), (byte) root.getPort()};
        return (mixed(hash(hash, port)) | ALWAYS) & -COUNT;
    }

    /** The code of a group of a space: the QoS session of its datagrams. */
    public static long code(long space, int group) {
        return space | group;
    }

    /** Whether a code is one of this space. */
    public static boolean isOf(long space, long code) {
        return (code & -COUNT) == space;
    }

    /** The group that a code names. */
    public static int group(long code, long space) {
        return (int) (code - space);
    }

    private static int group(long hash) {
        return (int) mixed(hash) & COUNT - 1;
    }

    /** FNV-1a (Fowler, Noll, Vo). */
    private static long hash(long begun, byte[] octets) {
        long hash = begun;
        for (byte octet : octets) {
            hash = (hash ^ octet & 0xFF) * PRIME;
        }
        return hash;
    }

    /** The finalizer of MurmurHash3 (Appleby): the low bits of FNV alone do not spread. */
    private static long mixed(long hash) {
        long mixed = (hash ^ hash >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }
}
