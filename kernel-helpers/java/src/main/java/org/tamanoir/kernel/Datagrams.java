package org.tamanoir.kernel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Datagram sockets of the library: with the kernel's time, the code point and the time to live of each datagram that arrives, and a code
 * point for each that leaves. They need the library and no privilege.
 *
 * <p>{@link #open} and {@link #wake} are for all threads; the rest is for the one that waits.
 */
public final class Datagrams implements AutoCloseable {
    private final Object lock = new Object();
    private final List<Socket> open = new ArrayList<>();
    private int waker;

    /** @throws AnepException EE-601 if there is no library, or no descriptor is left */
    public Datagrams() {
        KernelLibrary.require();
        waker = KernelNative.tam_datagram_waker();
        if (waker < 0) {
            throw new AnepException(ErrorCode.KERNEL, "no descriptor to wait with: " + Errno.words(waker));
        }
    }

    /** Why there can be none, in words; null if there can. */
    public static String problem() {
        return KernelLibrary.problem();
    }

    /** A bound socket. */
    public final class Socket implements AutoCloseable {
        private final int descriptor;
        private final InetSocketAddress address;
        private boolean closed;

        private Socket(int descriptor, InetSocketAddress address) {
            this.descriptor = descriptor;
            this.address = address;
        }

        public InetSocketAddress address() {
            return address;
        }

        /** What has arrived, from the first place of a batch on. @return how many; 0 if nothing has */
        public int receive(DatagramBatch into) throws IOException {
            return check(KernelNative.tam_datagram_receive(descriptor, into.structures(), into.octets(), DatagramBatch.STRIDE, into.capacity()));
        }

        /**
         * Sends the first of a batch, one after the other; those of the length 0 are passed over, and those that the kernel does not take
         * have the time 0 afterwards.
         *
         * @param stamp where in the data the time of its sending is written, 64 bits as NTP has it
         * @return how many the kernel took
         */
        public int send(DatagramBatch from, int count, int stamp) throws IOException {
            return check(KernelNative.tam_datagram_send(descriptor, from.structures(), from.octets(), DatagramBatch.STRIDE, count, stamp));
        }

        /** In the thread that waits, or when it has ended. */
        @Override
        public void close() {
            synchronized (lock) {
                if (!closed) {
                    closed = true;
                    open.remove(this);
                    KernelNative.tam_datagram_close(descriptor);
                }
            }
        }
    }

    /** Binds a socket; port 0 takes a free one, and {@code ::} takes IPv4 too. @throws IOException says what the kernel said */
    public Socket open(InetSocketAddress address) throws IOException {
        short[] port = {(short) address.getPort()};
        synchronized (lock) {
            int descriptor = check(KernelNative.tam_datagram_open(octets(address.getAddress()), Addresses.scope(address.getAddress()), port));
            Socket socket = new Socket(descriptor, new InetSocketAddress(address.getAddress(), port[0] & 0xFFFF));
            open.add(socket);
            return socket;
        }
    }

    /** Sixteen zeros for all addresses of both families, as Java means it by 0.0.0.0 too. */
    private static byte[] octets(InetAddress address) throws UnknownHostException {
        return address.isAnyLocalAddress() ? new byte[Addresses.OCTETS] : Addresses.toOctets(address);
    }

    /** Waits until one of some sockets has something, {@link #wake} is called, or so many nanoseconds are over. */
    public void await(List<Socket> sockets, long nanos) throws IOException {
        int[] descriptors = new int[sockets.size()];
        for (int i = 0; i < descriptors.length; i++) {
            descriptors[i] = sockets.get(i).descriptor;
        }
        check(KernelNative.tam_datagram_wait(waker, descriptors, descriptors.length, Math.max(0, nanos)));
    }

    /** Ends an {@link #await}, or the next one at once. */
    public void wake() {
        synchronized (lock) {
            if (waker >= 0) {
                KernelNative.tam_datagram_wake(waker);
            }
        }
    }

    /**
     * How right the clock of this host is.
     *
     * @param synchronised whether the kernel says that it follows an external source
     * @param errorNanos   the most that the kernel says it may be wrong
     */
    public record ClockQuality(boolean synchronised, long errorNanos) {
    }

    public static ClockQuality clockQuality() throws IOException {
        long[] nanos = new long[1];
        return new ClockQuality(check(KernelNative.tam_clock_quality(nanos)) == 1, nanos[0]);
    }

    private static int check(int result) throws IOException {
        if (result < 0) {
            throw new IOException(Errno.words(result));
        }
        return result;
    }

    /** Closes all sockets, when nobody waits any more. */
    @Override
    public void close() {
        synchronized (lock) {
            List.copyOf(open).forEach(Socket::close);
            if (waker >= 0) {
                KernelNative.tam_datagram_close(waker);
                waker = -1;
            }
        }
    }
}
