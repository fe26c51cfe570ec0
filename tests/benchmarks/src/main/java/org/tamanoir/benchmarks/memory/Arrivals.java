package org.tamanoir.benchmarks.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.lab.LabException;

/** Streams that arrive from a node: accepted, their first packet read, and held open. */
final class Arrivals implements AutoCloseable {
    /** Longer than a first fetch of a service takes. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<SocketChannel> streams = new ArrayList<>();
    private final ServerSocketChannel receiver;

    Arrivals(ServerSocketChannel receiver) {
        this.receiver = receiver;
    }

    /**
     * Accepts a stream and reads from it until the header of a packet has come.
     *
     * @throws LabException if that does not happen in time
     */
    void take() throws IOException {
        SocketChannel stream = accept(receiver);
        streams.add(stream);
        ByteBuffer packet = ByteBuffer.allocate(2048);
        stream.configureBlocking(false);
        await(stream, SelectionKey.OP_READ, "a packet");
        if (stream.read(packet) < Anep.HEADER_SIZE) {
            throw new LabException("a stream was opened, and ended without a packet");
        }
    }

    private static SocketChannel accept(ServerSocketChannel receiver) throws IOException {
        receiver.configureBlocking(false);
        await(receiver, SelectionKey.OP_ACCEPT, "a stream");
        return receiver.accept();
    }

    private static void await(SelectableChannel channel, int operation, String what) throws IOException {
        try (Selector selector = Selector.open()) {
            channel.register(selector, operation);
            if (selector.select(PATIENCE.toMillis()) == 0) {
                throw new LabException(what + " did not arrive within " + PATIENCE.toSeconds() + " s");
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel stream : streams) {
            stream.close();
        }
    }
}
