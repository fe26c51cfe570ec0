package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What arrives at a host, as it stood on the wire: IP packets by a socket of packet(7), in order, at most a million of them. */
public final class Capture implements AutoCloseable {
    private static final int MOST = 1_000_000;
    private static final int OCTETS = 65_535;
    private static final int BUFFER = 64 << 20;
    private static final int WAIT_MICROS = 50_000;
    /** Of struct sockaddr_ll: the kind of link (ARPHRD), which says whether a header of Ethernet comes first; what the packet was to this host. */
    private static final int LINK_AT = 8;
    private static final int ETHERNET = 1;
    private static final int LOOPBACK = 772;
    private static final int TYPE_AT = 10;
    private static final int OUTGOING = 4;
    private static final int ADDRESS = 20;
    private static final int ETHERNET_HEADER = 14;
    /** Of struct virtio_net_hdr, which comes before each packet: how the sender wants it cut. */
    private static final int CUT_HEADER = 10;
    private static final int CUT_TYPE_AT = 1;
    private static final int CUT_DATAGRAMS = 5;
    private static final int CUT_SIZE_AT = 4;

    private final int socket;
    private final Thread thread;
    private final Consumer<IpPacket> told;
    private final List<IpPacket> packets = new ArrayList<>();
    private volatile boolean closed;

    private Capture(int socket, String name, Consumer<IpPacket> told) {
        this.socket = socket;
        this.told = told == null ? this::keep : told;
        thread = new Thread(this::run, "capture at " + name);
        thread.setDaemon(true);
    }

    /** @param told of each packet, in order, on one thread; null: they are kept */
    static Capture on(Host host, Consumer<IpPacket> told) throws Exception {
        Capture capture = new Capture(host.inside(Capture::open), host.name(), told);
        capture.thread.start();
        return capture;
    }

    private static int open() {
        try {
            int socket = LibC.socket(LibC.AF_PACKET, LibC.SOCK_RAW, LibC.ETH_P_ALL);
            LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_RCVBUFFORCE, number(4).putInt(BUFFER).array(), 4);
            LibC.setsockopt(socket, LibC.SOL_PACKET, LibC.PACKET_VNET_HDR, number(4).putInt(1).array(), 4);
            LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_RCVTIMEO, number(16).putLong(0).putLong(WAIT_MICROS).array(), 16);
            return socket;
        } catch (LastErrorException e) {
            throw new LabException("cannot open a packet socket", e);
        }
    }

    private static ByteBuffer number(int octets) {
        return ByteBuffer.allocate(octets).order(ByteOrder.nativeOrder());
    }

    private void run() {
        byte[] octets = new byte[CUT_HEADER + ETHERNET_HEADER + OCTETS];
        byte[] address = new byte[ADDRESS];
        int[] length = new int[1];
        while (!closed) {
            try {
                length[0] = ADDRESS;
                int read = LibC.recvfrom(socket, octets, octets.length, 0, address, length);
                if (address[TYPE_AT] != OUTGOING) {
                    int link = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getShort(LINK_AT);
                    arrived(octets, CUT_HEADER + (link == ETHERNET || link == LOOPBACK ? ETHERNET_HEADER : 0), read);
                }
            } catch (LastErrorException e) {
                if (e.getErrorCode() != LibC.EAGAIN && e.getErrorCode() != LibC.EINTR) {
                    throw new LabException("cannot read what arrives", e);
                }
            }
        }
        LibC.close(socket);
    }

    private void arrived(byte[] octets, int begin, int end) {
        byte[] packet = Arrays.copyOfRange(octets, begin, end);
        if ((octets[CUT_TYPE_AT] & 0x7F) == CUT_DATAGRAMS) {
            IpPacket.cut(packet, ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()).getShort(CUT_SIZE_AT) & 0xFFFF).forEach(told);
        } else {
            IpPacket whole = IpPacket.read(packet);
            if (whole != null) {
                told.accept(whole);
            }
        }
    }

    private synchronized void keep(IpPacket packet) {
        if (packets.size() < MOST) {
            packets.add(packet);
        }
    }

    /** What has arrived and is wanted, in order. */
    public synchronized List<IpPacket> packets(Predicate<IpPacket> wanted) {
        return packets.stream().filter(wanted).toList();
    }

    /** Forgets what has arrived. */
    public synchronized void clear() {
        packets.clear();
    }

    /** Waits until so many wanted packets have arrived. @throws LabException if they do not in time */
    public List<IpPacket> await(int count, Duration patience, Predicate<IpPacket> wanted) {
        return Waiting.until(patience, 10, () -> packets(wanted), found -> found.size() >= count,
                found -> "only " + found.size() + " packets of " + count + " have arrived: " + found.stream().limit(20).toList());
    }

    /** The socket is closed by the thread that reads from it, so that nobody else can get its number meanwhile. */
    @Override
    public void close() {
        closed = true;
    }
}
