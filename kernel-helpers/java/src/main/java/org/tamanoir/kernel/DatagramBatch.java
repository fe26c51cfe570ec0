package org.tamanoir.kernel;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Datagrams that are received or sent together: {@code struct tam_datagram} of {@code tamanoir_kernel.h}, and room for the data of each, in
 * memory outside the heap. Needs no library. For one thread at a time.
 */
public final class DatagramBatch {
    /** Room for the data of one, in octets: more than any probe has. */
    public static final int STRIDE = 2048;

    static final int SIZE = 56;

    private static final int TIME = 0;
    private static final int ADDRESS = 8;
    private static final int LOCAL = 24;
    private static final int INTERFACE = 40;
    private static final int LENGTH = 44;
    private static final int PORT = 48;
    private static final int TOS = 50;
    private static final int TTL = 51;
    private static final int KNOWS = 52;
    private static final int CUT = 53;
    private static final int KNOWS_TOS = 1;
    private static final int KNOWS_TTL = 2;
    private static final int KNOWS_TIME = 4;

    private final int capacity;
    private final ByteBuffer structures;
    private final ByteBuffer octets;

    /** @param capacity datagrams */
    public DatagramBatch(int capacity) {
        this.capacity = capacity;
        this.structures = ByteBuffer.allocateDirect(capacity * SIZE).order(ByteOrder.nativeOrder());
        this.octets = ByteBuffer.allocateDirect(capacity * STRIDE);
    }

    public int capacity() {
        return capacity;
    }

    ByteBuffer structures() {
        return structures;
    }

    /** The data of all, in network order: that of datagram {@code i} begins at {@link #at}. */
    public ByteBuffer octets() {
        return octets;
    }

    /** Where the data of one begins in {@link #octets}. */
    public int at(int i) {
        return i * STRIDE;
    }

    /** Octets of its data; 0 for one that is passed over when sending. */
    public int length(int i) {
        return structures.getInt(i * SIZE + LENGTH);
    }

    public void length(int i, int length) {
        structures.putInt(i * SIZE + LENGTH, length);
    }

    /** Nanoseconds since 1970 at which the kernel received it, or was given it; 0 for one that the kernel did not take. */
    public long time(int i) {
        return structures.getLong(i * SIZE + TIME);
    }

    /** Says when it was sent. */
    public void time(int i, long nanos) {
        structures.putLong(i * SIZE + TIME, nanos);
    }

    /** The octet of code point and ECN with which it arrived; -1 if that is not known. */
    public int tos(int i) {
        return (structures.get(i * SIZE + KNOWS) & KNOWS_TOS) == 0 ? -1 : structures.get(i * SIZE + TOS) & 0xFF;
    }

    /** With which it is to be sent. */
    public void sendTos(int i, int tos) {
        structures.put(i * SIZE + TOS, (byte) tos);
    }

    /** What {@link #sendTos} has set. */
    public int sentTos(int i) {
        return structures.get(i * SIZE + TOS) & 0xFF;
    }

    /** The time to live with which it arrived; -1 if that is not known. */
    public int ttl(int i) {
        return (structures.get(i * SIZE + KNOWS) & KNOWS_TTL) == 0 ? -1 : structures.get(i * SIZE + TTL) & 0xFF;
    }

    /** Whether it was longer than {@link #STRIDE}, so that its end is lost. */
    public boolean cut(int i) {
        return structures.get(i * SIZE + CUT) != 0;
    }

    public int port(int i) {
        return structures.getShort(i * SIZE + PORT) & 0xFFFF;
    }

    /** The first half of the other end's address in its 16 octets: all of an IPv6 network, 0 for IPv4. */
    public long network(int i) {
        return structures.getLong(i * SIZE + ADDRESS);
    }

    /** The second half. */
    public long host(int i) {
        return structures.getLong(i * SIZE + ADDRESS + Long.BYTES);
    }

    /** The other end. */
    public InetSocketAddress peer(int i) {
        byte[] address = new byte[Addresses.OCTETS];
        structures.get(i * SIZE + ADDRESS, address);
        int scope = structures.getInt(i * SIZE + INTERFACE);
        try {
            InetAddress plain = Addresses.of(address);
            return new InetSocketAddress(scope == 0 || !(plain instanceof Inet6Address) ? plain : Inet6Address.getByAddress(null, address, scope),
                    port(i));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("16 octets are an address", e);
        }
    }

    /** Makes one that is to be sent, from whatever own address the routing table says. */
    public void address(int i, InetSocketAddress to, int length, int tos) {
        clear(i);
        structures.put(i * SIZE + ADDRESS, Addresses.toOctets(to.getAddress()));
        structures.putInt(i * SIZE + INTERFACE, Addresses.scope(to.getAddress()));
        structures.putShort(i * SIZE + PORT, (short) to.getPort());
        length(i, length);
        sendTos(i, tos);
    }

    /** Says what was received, for whoever receives in another way than {@link Datagrams}; neither code point nor time to live is known. */
    public void received(int i, InetSocketAddress from, int length, boolean cut, long nanos) {
        address(i, from, length, 0);
        time(i, nanos);
        structures.put(i * SIZE + KNOWS, (byte) KNOWS_TIME).put(i * SIZE + CUT, (byte) (cut ? 1 : 0));
    }

    private void clear(int i) {
        for (int at = i * SIZE; at < (i + 1) * SIZE; at += Long.BYTES) {
            structures.putLong(at, 0);
        }
    }
}
