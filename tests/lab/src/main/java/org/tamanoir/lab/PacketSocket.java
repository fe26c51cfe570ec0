package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Tells of what arrives at a host, as it stood on the wire: a socket of packet(7), in order, as soon as it does. */
public final class PacketSocket implements AutoCloseable {
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

    /** Told of each packet, on one thread, which it must not hold up. */
    public interface Reader {
        /**
         * One has arrived.
         *
         * @param packet  of IP
         * @param segment of a run of datagrams that a virtual link carries as one (UDP_SEGMENT): octets of payload of each but the last; else 0
         */
        void arrived(byte[] packet, int segment);
    }

    private final int socket;
    private final Reader reader;
    private volatile boolean closed;

    private PacketSocket(int socket, Reader reader) {
        this.socket = socket;
        this.reader = reader;
    }

    /** Reads at a host from now on, of all interfaces. @throws LabException if it cannot */
    public static PacketSocket open(Host host, Reader reader) {
        PacketSocket opened = new PacketSocket(host.socket(PacketSocket::open), reader);
        Thread thread = new Thread(opened::run, "capture at " + host.name());
        thread.setDaemon(true);
        thread.start();
        return opened;
    }

    private static int open() {
        int socket = LibC.socket(LibC.AF_PACKET, LibC.SOCK_RAW, LibC.ETH_P_ALL);
        LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_RCVBUFFORCE, number(4).putInt(BUFFER).array(), 4);
        LibC.setsockopt(socket, LibC.SOL_PACKET, LibC.PACKET_VNET_HDR, number(4).putInt(1).array(), 4);
        LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_RCVTIMEO, number(16).putLong(0).putLong(WAIT_MICROS).array(), 16);
        return socket;
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
                    int begin = CUT_HEADER + (link == ETHERNET || link == LOOPBACK ? ETHERNET_HEADER : 0);
                    boolean cut = (octets[CUT_TYPE_AT] & 0x7F) == CUT_DATAGRAMS;
                    reader.arrived(Arrays.copyOfRange(octets, begin, read),
                            cut ? ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()).getShort(CUT_SIZE_AT) & 0xFFFF : 0);
                }
            } catch (LastErrorException e) {
                if (e.getErrorCode() != LibC.EAGAIN && e.getErrorCode() != LibC.EINTR) {
                    throw new LabException("cannot read what arrives", e);
                }
            }
        }
        LibC.close(socket);
    }

    /** The socket is closed by the thread that reads from it, so that nobody else can get its number meanwhile. */
    @Override
    public void close() {
        closed = true;
    }
}
