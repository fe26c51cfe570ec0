package org.tamanoir.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** One stream of this process, opened with its first packet, that offers more than may be taken. */
public final class Offer implements Closeable {
    private final SocketChannel channel;
    private final int packet;

    /**
     * Connects and sends the first packet.
     *
     * @param entry       where to connect
     * @param destination where the stream is to be delivered
     * @param packet      octets of every packet, header included
     */
    public Offer(InetSocketAddress entry, InetSocketAddress destination, int packet, long streamId) throws IOException {
        this.packet = packet;
        channel = SocketChannel.open(entry);
        ByteBuffer first = StreamPackets.first(packet, destination, streamId);
        while (first.hasRemaining()) {
            channel.write(first);
        }
    }

    /**
     * Writes until an amount has been taken, or nothing was for some time.
     *
     * @return octets taken by the kernel
     */
    public long offer(long octets, Duration patience) throws IOException {
        ByteBuffer block = StreamPackets.block(packet);
        channel.configureBlocking(false);
        long taken = 0;
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_WRITE);
            while (taken < octets) {
                if (selector.select(patience.toMillis()) == 0) {
                    return taken;
                }
                selector.selectedKeys().clear();
                if (!block.hasRemaining()) {
                    block.clear();
                }
                taken += channel.write(block);
            }
        }
        return taken;
    }

    /** What the node answered, if that is an error packet: its code and text; otherwise an empty text. Does not wait. */
    public String refusal() throws IOException {
        return Refusal.of(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
