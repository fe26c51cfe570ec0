package org.tamanoir.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;

/**
 * A socket on a host that sends numbered datagrams, or notes which numbers have come, by a group or to its own address. What begins with a
 * question it sends back.
 */
final class GroupProbe implements AutoCloseable {
    static final int PORT = 5405;
    static final InetAddress GROUP = address("239.1.2.3");
    private static final int BUFFER = 4 << 20;
    private static final int QUESTION = -1;

    private final DatagramChannel channel;
    private final BitSet seen = new BitSet();

    private GroupProbe(DatagramChannel channel) {
        this.channel = channel;
    }

    /** One that listens at a port of a host, and to the group on its interface. */
    static GroupProbe listen(Port port) throws Exception {
        DatagramChannel channel = port.host().inside(() -> {
            DatagramChannel made = DatagramChannel.open(StandardProtocolFamily.INET);
            made.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
            made.bind(new InetSocketAddress(PORT));
            made.join(GROUP, NetworkInterface.getByName(port.name()));
            return made;
        });
        GroupProbe probe = new GroupProbe(channel);
        Thread thread = new Thread(probe::read, "probe on " + port.host().name());
        thread.setDaemon(true);
        thread.start();
        return probe;
    }

    /** One that sends, to groups by way of a port. */
    static GroupProbe sender(Port port) throws Exception {
        return new GroupProbe(port.host().inside(() -> {
            DatagramChannel made = DatagramChannel.open(StandardProtocolFamily.INET);
            made.setOption(StandardSocketOptions.IP_MULTICAST_IF, NetworkInterface.getByName(port.name()));
            made.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 8);
            made.bind(null);
            return made;
        }));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        ByteBuffer buffer = ByteBuffer.allocate(2048);
        try {
            while (true) {
                buffer.clear();
                SocketAddress from = channel.receive(buffer);
                int number = buffer.flip().getInt(0);
                if (number == QUESTION) {
                    channel.send(buffer, from);
                } else {
                    synchronized (this) {
                        seen.set(number);
                    }
                }
            }
        } catch (ClosedChannelException e) {
            // It was told to end.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends numbers from 0, the next one not before its time. @param octets of the payload @param perSecond how many */
    void send(InetAddress to, int count, int octets, int perSecond) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(octets);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long due = start + i * 1_000_000_000L / perSecond;
            if (due - System.nanoTime() > 100_000) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            buffer.clear().putInt(0, i);
            channel.send(buffer, new InetSocketAddress(to, PORT));
        }
    }

    /** Asks, and waits for the answer. @return nanoseconds between */
    long ask(InetAddress to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(64).putInt(0, QUESTION);
        long start = System.nanoTime();
        channel.send(buffer, new InetSocketAddress(to, PORT));
        channel.receive(buffer.clear());
        return System.nanoTime() - start;
    }

    /** The numbers that have come so far; forgets them. */
    synchronized BitSet take() {
        BitSet taken = (BitSet) seen.clone();
        seen.clear();
        return taken;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
