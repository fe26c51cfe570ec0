package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/**
 * Takes streams and counts their octets: one thread, one selector, one large buffer for all. Closes a stream when the other side has
 * finished, so that the relay's side ends as well.
 */
final class SinkServer {
    private static final int BUFFER = 1024 * 1024;

    /**
     * What came since the last {@link #begin}.
     *
     * @param octets    that count
     * @param ended     streams that are over
     * @param differing those of them of which an octet was not the one sent
     * @param reset     those of them that ended with a reset: what was on its way is lost
     */
    record Total(long octets, int ended, int differing, int reset) {
        private Total plusOctets(int more) {
            return new Total(octets + more, ended, differing, reset);
        }

        private Total plusStream(boolean differed, boolean wasReset) {
            return new Total(octets, ended + 1, differing + (differed ? 1 : 0), reset + (wasReset ? 1 : 0));
        }
    }

    /** One measurement. Written by the selector's thread alone; a stream that is late stays with the run in which it began. */
    private static final class Run {
        private final ByteBuffer expected;
        private volatile Total total = new Total(0, 0, 0, 0);

        Run(ByteBuffer expected) {
            this.expected = expected;
        }
    }

    private record Stream(Run run, StreamCheck check) {
    }

    private final ServerSocketChannel server;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private volatile Run current = new Run(null);

    SinkServer(InetAddress address) throws IOException {
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(address, 0), 1024);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        EchoServer.daemon("sink", this::run);
    }

    int port() {
        return server.socket().getLocalPort();
    }

    /** Starts to count anew. @param expected as {@link StreamCheck} takes it */
    void begin(ByteBuffer expected) {
        current = new Run(expected);
    }

    Total total() {
        return current.total;
    }

    private void run() {
        try {
            while (true) {
                selector.select();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext();) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (key.isAcceptable()) {
                        accept();
                    } else {
                        read(key);
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("the sink's selector failed", e);
        }
    }

    private void accept() throws IOException {
        Run run = current;
        SocketChannel stream = server.accept();
        stream.configureBlocking(false);
        stream.register(selector, SelectionKey.OP_READ, new Stream(run, new StreamCheck(run.expected)));
    }

    private void read(SelectionKey key) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        Stream stream = (Stream) key.attachment();
        int read;
        boolean reset = false;
        try {
            read = channel.read(buffer.clear());
        } catch (IOException e) {
            read = -1;
            reset = true;
        }
        if (read >= 0) {
            stream.run.total = stream.run.total.plusOctets(stream.check.take(buffer.flip()));
            return;
        }
        channel.close();
        if (stream.check.opened()) {
            stream.run.total = stream.run.total.plusStream(stream.check.differs(), reset);
        }
    }
}
