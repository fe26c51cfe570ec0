package org.tamanoir.benchmarks.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.PacketBuilder;

/** A stream over UDP: every datagram has the options. Its end is its last packet; nobody answers it. */
final class UdpFlow extends Flow {
    private final DatagramChannel channel = DatagramChannel.open();
    private final ByteBuffer answer = ByteBuffer.allocate(1500);
    private ByteBuffer rest;

    UdpFlow(Selector selector, Route route, long id, long now, long end, boolean lasting) throws IOException {
        super(route, id, now, end, lasting);
        channel.configureBlocking(false);
        channel.connect(route.entry());
        channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Tries what the kernel would not take before. */
    @Override
    boolean isReady() {
        try {
            return rest == null || write();
        } catch (IOException e) {
            broken(e.toString());
            return false;
        }
    }

    @Override
    boolean send(ByteBuffer content, long number) throws IOException {
        ByteBuf datagram = Unpooled.buffer();
        new PacketBuilder(route.typeId()).flags(Anep.FLAG_DISCARD_UNKNOWN).options(route.options(id, number))
                .payload(Unpooled.wrappedBuffer(content)).writeTo(datagram);
        rest = datagram.nioBuffer();
        return write();
    }

    private boolean write() throws IOException {
        if (channel.write(rest) == 0) {
            return false;
        }
        rest = null;
        return true;
    }

    @Override
    void finish() throws IOException {
        if (rest != null) {
            broken("the kernel did not take its last datagram");
        } else {
            complete();
        }
    }

    @Override
    void onReady(SelectionKey ready) throws IOException {
        if (channel.read(answer.clear()) > 0) {
            refused(answer.flip());
        }
    }

    @Override
    void close() throws IOException {
        channel.close();
    }

    @Override
    boolean isUdp() {
        return true;
    }
}
