package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Takes IPv4 packets out of IPv4 packets (RFC 2003) that arrive at a host, whoever sent them, and hands them to its kernel: what the kernel's own
 * tunl0 does, for kernels without it. Ends when it is closed, or with this process; its
 * interface goes with the host.
 */
public final class TunnelEnd implements AutoCloseable {
    private static final String INTERFACE = "ipip";
    private static final int OCTETS = 65_535;
    private static final int WAIT_MICROS = 50_000;
    /** Of linux/if_tun.h: an interface of IP packets, without anything before them. */
    private static final long TUNSETIFF = 0x400454caL;
    private static final short IFF_TUN_NO_PI = 0x1001;
    /** struct ifreq: a name, then the flags. */
    private static final int IFREQ = 40;
    private static final int NAME = 16;

    private final int socket;
    private final int tun;
    private final Thread thread;
    private volatile boolean closed;

    private TunnelEnd(int socket, int tun, String host) {
        this.socket = socket;
        this.tun = tun;
        thread = new Thread(this::run, "end of tunnels at " + host);
        thread.setDaemon(true);
    }

    /** Has a host take packets out of tunnels. Once. */
    public static TunnelEnd open(Host host) {
        host.ip("tuntap", "add", "name", INTERFACE, "mode", "tun");
        for (String name : new String[] {"all", INTERFACE}) {
            host.sysctl("net.ipv4.conf." + name + ".rp_filter", "0");
        }
        host.ip("link", "set", "dev", INTERFACE, "up");
        TunnelEnd end = host.socket(() -> new TunnelEnd(receiver(), device(), host.name()));
        end.thread.start();
        return end;
    }

    private static int receiver() {
        int socket = LibC.socket(LibC.AF_INET, LibC.SOCK_RAW, LibC.IPPROTO_IPIP);
        byte[] wait = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putLong(0).putLong(WAIT_MICROS).array();
        LibC.setsockopt(socket, LibC.SOL_SOCKET, LibC.SO_RCVTIMEO, wait, wait.length);
        return socket;
    }

    private static int device() {
        int tun = LibC.open("/dev/net/tun", LibC.O_RDWR);
        byte[] request = ByteBuffer.allocate(IFREQ).order(ByteOrder.nativeOrder())
                .put(INTERFACE.getBytes(StandardCharsets.US_ASCII)).position(NAME).putShort(IFF_TUN_NO_PI).array();
        LibC.ioctl(tun, TUNSETIFF, request);
        return tun;
    }

    private void run() {
        byte[] octets = new byte[OCTETS];
        while (!closed) {
            try {
                int read = LibC.recvfrom(socket, octets, OCTETS, 0, null, null);
                int header = (octets[0] & 0xF) * 4;
                if (read >= header + 20) {
                    byte[] inner = Arrays.copyOfRange(octets, header, read);
                    // Between machines in one kernel, or in one by virtual cables, checksums are left to network cards that are none.
                    IpPacket.putChecksum(inner);
                    LibC.write(tun, inner, inner.length);
                }
            } catch (LastErrorException e) {
                // Nothing came, or the kernel did not want it: a lost packet.
            }
        }
        LibC.close(tun);
        LibC.close(socket);
    }

    /** What it has is closed by the thread that uses it, so that nobody else can get the numbers meanwhile. */
    @Override
    public void close() {
        closed = true;
    }
}
