package org.tamanoir.node.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.kernel.DatagramBatch;

/**
 * Sockets of Java, for where the kernel helper cannot be loaded: times are those of this thread, and neither the code point nor the time to
 * live of a datagram can be read, which its answer says. A code point is set by an option of the socket, before each datagram with another.
 */
final class ChannelSockets implements ProbeSockets {
    private static final int BUFFER = 1 << 20;
    private static final long MILLISECOND = 1_000_000L;
    /** Shorter than a selector can wait: slept in pieces, so that what arrives meanwhile is read in time. */
    private static final long PIECE = 100_000L;

    private final String why;
    private final Selector selector;

    /** @param why the kernel helper is not used */
    ChannelSockets(String why) {
        this.why = why;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static final class ChannelSocket implements Socket {
        private final DatagramChannel channel;
        private final InetSocketAddress address;
        private int tos;

        private ChannelSocket(DatagramChannel channel) throws IOException {
            this.channel = channel;
            this.address = (InetSocketAddress) channel.getLocalAddress();
        }

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public int receive(DatagramBatch into) throws IOException {
            int count = 0;
            while (count < into.capacity()) {
                ByteBuffer room = into.octets().duplicate().position(into.at(count)).limit(into.at(count) + DatagramBatch.STRIDE);
                InetSocketAddress from = (InetSocketAddress) channel.receive(room);
                if (from == null) {
                    break;
                }
                int length = room.position() - into.at(count);
                into.received(count++, from, length, length == DatagramBatch.STRIDE, now());
            }
            return count;
        }

        @Override
        public int send(DatagramBatch from, int count) throws IOException {
            int sent = 0;
            for (int i = 0; i < count; i++) {
                from.time(i, 0);
                if (from.length(i) > 0 && sendOne(from, i)) {
                    sent++;
                }
            }
            return sent;
        }

        private boolean sendOne(DatagramBatch from, int i) {
            try {
                if (from.sentTos(i) != tos) {
                    channel.setOption(StandardSocketOptions.IP_TOS, from.sentTos(i));
                    tos = from.sentTos(i);
                }
                ByteBuffer data = from.octets().duplicate().position(from.at(i)).limit(from.at(i) + from.length(i));
                long now = now();
                from.octets().putLong(from.at(i) + Stamp.TIME, StampTime.ntp(now));
                if (channel.send(data, from.peer(i)) == 0) {
                    return false;
                }
                from.time(i, now);
                return true;
            } catch (IOException e) {
                // The kernel did not take this one; the caller sees that in its time.
                return false;
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public Socket open(InetSocketAddress address) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER).setOption(StandardSocketOptions.SO_SNDBUF, BUFFER).bind(address);
            return new ChannelSocket(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void await(List<Socket> sockets, long nanos) throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.interestOps(0);
        }
        for (Socket each : sockets) {
            ((ChannelSocket) each).channel.register(selector, SelectionKey.OP_READ);
        }
        long millis = nanos / MILLISECOND;
        if (millis > 0) {
            selector.select(key -> { }, millis);
        } else if (selector.selectNow(key -> { }) == 0 && nanos > 0) {
            LockSupport.parkNanos(Math.min(nanos, PIECE));
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public int errorEstimate() {
        return ErrorEstimate.NOBODY_KNOWS;
    }

    @Override
    public String describe() {
        return "java: no code points and times to live of what arrives, because " + why;
    }

    @Override
    public void close() {
        try {
            for (SelectionKey key : List.copyOf(selector.keys())) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
