package org.tamanoir.benchmarks.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.PacketBuilder;

/** A stream over TCP: a first packet with options, bare ones after it, a half-close, and the other side's end. */
final class TcpFlow extends Flow {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel = SocketChannel.open();
    private final SelectionKey key;
    private final ByteBuffer answer = ByteBuffer.allocate(1500);
    private final ByteBuffer bare;
    private ByteBuffer rest = NOTHING;

    /** Begins to connect. */
    TcpFlow(Selector selector, Route route, long id, long now, long end, boolean lasting) throws IOException {
        super(route, id, now, end, lasting);
        bare = ByteBuffer.allocate(Anep.HEADER_SIZE + route.payload());
        PacketBuilder.setBareHeader(Unpooled.wrappedBuffer(bare), 0, Anep.FLAG_DISCARD_UNKNOWN, route.typeId(), route.payload());
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        key = channel.register(selector, SelectionKey.OP_CONNECT, this);
        try {
            if (channel.connect(route.entry())) {
                key.interestOps(SelectionKey.OP_READ);
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    @Override
    boolean isReady() {
        return channel.isConnected() && !rest.hasRemaining();
    }

    @Override
    boolean send(ByteBuffer content, long number) throws IOException {
        if (number == 0) {
            ByteBuf first = Unpooled.buffer();
            new PacketBuilder(route.typeId()).flags(Anep.FLAG_DISCARD_UNKNOWN).options(route.options(id, 0))
                    .payload(Unpooled.wrappedBuffer(content)).writeTo(first);
            rest = first.nioBuffer();
        } else {
            rest = bare.clear().position(Anep.HEADER_SIZE).put(content).flip();
        }
        return writeRest();
    }

    private boolean writeRest() throws IOException {
        channel.write(rest);
        key.interestOps(rest.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        if (!rest.hasRemaining() && hasFinished()) {
            channel.shutdownOutput();
        }
        return !rest.hasRemaining();
    }

    /** The half-close follows the last octet, in {@link #writeRest}. */
    @Override
    void finish() {
    }

    @Override
    void onReady(SelectionKey ready) throws IOException {
        if (ready.isConnectable()) {
            channel.finishConnect();
            key.interestOps(SelectionKey.OP_READ);
        }
        if (ready.isWritable()) {
            writeRest();
        }
        if (ready.isReadable()) {
            int read = channel.read(answer);
            if (read > 0) {
                refused(answer.flip());
            } else if (read < 0 && hasFinished() && !rest.hasRemaining()) {
                complete();
            } else if (read < 0) {
                broken("the node ended it before its last packet");
            }
        }
    }

    @Override
    void close() throws IOException {
        channel.close();
    }

    @Override
    boolean isUdp() {
        return false;
    }
}
