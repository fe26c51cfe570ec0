package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.load.Refusal;
import org.tamanoir.lab.LabException;

/** Many TCP streams through one node to a receiver that accepts them and does nothing more. What the kernel keeps for them is little. */
final class Senders implements AutoCloseable {
    private static final int RECEIVE_BUFFER = 4096;
    private static final int SEND_BUFFER = 32 * 1024;
    private static final int BACKLOG = 4096;

    private final InetSocketAddress entry;
    private final int typeId;
    private final ServerSocketChannel receiver = ServerSocketChannel.open();
    private final List<SocketChannel> streams = new ArrayList<>();
    private final List<ByteBuffer> rests = new ArrayList<>();
    private final List<SocketChannel> received = new ArrayList<>();

    Senders(Victim victim, int typeId) throws IOException {
        this.entry = victim.node().address();
        this.typeId = typeId;
        receiver.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
        receiver.bind(victim.near(), BACKLOG);
        receiver.configureBlocking(false);
    }

    /**
     * Opens streams, one after the other has arrived or been given up.
     *
     * @param sources addresses that they come from, in turn
     * @throws LabException if not nine of ten arrive: then it is no attack
     */
    void open(int count, int sources) throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            SocketChannel stream = SocketChannel.open();
            streams.add(stream);
            rests.add(ByteBuffer.allocate(0));
            stream.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
            stream.bind(new InetSocketAddress("127.0.1." + (i % sources + 1), 0));
            stream.connect(entry);
            stream.write(Packets.opening(typeId, (InetSocketAddress) receiver.getLocalAddress(), i + 1, 0));
            stream.configureBlocking(false);
            // Never more on the way than the receiver's queue holds.
            accept(streams.size() - BACKLOG / 8, 1000);
        }
        accept(count, 5000);
        if (received.size() < 0.9 * count) {
            throw new LabException("of " + count + " streams " + received.size() + " arrived. " + refusal());
        }
    }

    /** Takes what has arrived, and waits a while for so many in all. */
    private void accept(int wanted, int millis) throws IOException, InterruptedException {
        for (int wait = 0; wait == 0 || received.size() < wanted && wait < millis; wait++) {
            for (SocketChannel stream = receiver.accept(); stream != null; stream = receiver.accept()) {
                received.add(stream);
            }
            if (received.size() < wanted) {
                Thread.sleep(1);
            }
        }
    }

    private String refusal() throws IOException {
        for (SocketChannel stream : streams) {
            String text = Refusal.of(stream);
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "";
    }

    /**
     * Writes to every stream what its kernel takes at once. A stream that was left in the middle of the octets goes on there.
     *
     * @param octets from their beginning to their limit, the same at every call
     * @return octets taken
     */
    long write(ByteBuffer octets) {
        long taken = 0;
        for (int i = 0; i < streams.size(); i++) {
            if (!rests.get(i).hasRemaining()) {
                rests.set(i, octets.duplicate());
            }
            try {
                taken += streams.get(i).isOpen() ? streams.get(i).write(rests.get(i)) : 0;
            } catch (IOException e) {
                close(streams.get(i));
            }
        }
        return taken;
    }

    /** How many have not been ended by the node, as far as writing has shown. */
    long alive() {
        return streams.stream().filter(SocketChannel::isOpen).count();
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        Stream.concat(streams.stream(), received.stream()).forEach(Senders::close);
        receiver.close();
    }
}
