package org.tamanoir.benchmarks.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.load.Refusal;
import org.tamanoir.benchmarks.soak.Books.SentStream;

/**
 * One stream that is sent, packet after packet at a fixed interval. A packet carries the time at which it was given to the kernel; while the
 * stream is held up, the time at which it was due, so that the hold-up counts in full.
 *
 * <p>Over TCP: a first packet with options, bare ones after it, a half-close, and the other side's end. Over UDP every datagram has the options;
 * its end is its last packet, which nobody answers.
 */
final class Flow {
    /** After the last packet, until the other side has ended as well. */
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    /**
     * What all streams of a soak have in common.
     *
     * @param typeId of the service that every packet names
     * @param entry  the first node
     * @param host   where the last node delivers, an address as text
     */
    record Route(int typeId, String entry, int entryPort, String host, int tcpPort, int udpPort, Soak.Load load) {
    }

    private final Route route;
    final boolean udp;
    private final long id;
    final boolean lasting;
    private final ByteChannel channel;
    private final SelectionKey key;
    private final ByteBuffer payload;
    private final ByteBuffer answer = ByteBuffer.allocate(1500);
    /** What the kernel has not taken yet of the packet before. */
    private ByteBuffer rest = ByteBuffer.allocate(0);
    /** {@link System#nanoTime()}: with the first packet that is due then or later the stream ends. */
    private long end;
    private long due;
    /** The packet before had to wait, or the first one has not left: what is due now has been so for some time. */
    private boolean heldUp = true;
    private long sequence;
    private boolean finished;
    private long finishedAt;
    private boolean over;
    private String broken;

    /** Begins to connect. */
    Flow(Selector selector, Route route, boolean udp, long id, long now, long end, boolean lasting) throws IOException {
        this.route = route;
        this.udp = udp;
        this.id = id;
        this.due = now;
        this.end = end;
        this.lasting = lasting;
        payload = ByteBuffer.allocate(route.load().payload());
        InetSocketAddress entry = new InetSocketAddress(route.entry(), route.entryPort());
        if (udp) {
            DatagramChannel datagrams = DatagramChannel.open().connect(entry);
            channel = datagrams;
            key = datagrams.configureBlocking(false).register(selector, SelectionKey.OP_READ, this);
            return;
        }
        SocketChannel connection = SocketChannel.open().setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel = connection;
        key = connection.configureBlocking(false).register(selector, SelectionKey.OP_CONNECT, this);
        try {
            if (connection.connect(entry)) {
                key.interestOps(SelectionKey.OP_READ);
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    /**
     * Sends what is due, as far as the kernel takes it.
     *
     * @param mark for {@link SoakPacket}
     * @param late gets how long after its time each packet is sent that nothing but the source itself has held up
     */
    void turn(long now, int mark, Histogram late) {
        if (over) {
            return;
        }
        try {
            while (!finished && due <= now && key.interestOps() == SelectionKey.OP_READ) {
                finished = due >= end;
                finishedAt = now;
                if (!heldUp && mark != 0) {
                    Books.enter(late, now - due);
                }
                new SoakPacket(mark, finished, id, sequence, heldUp ? due : now, 0, 0).write(payload.clear(), payload.capacity());
                boolean taken = send(payload.flip());
                sequence++;
                due += route.load().intervalNanos();
                heldUp = !taken || heldUp && due <= now;
            }
            if (finished && !over && now - finishedAt > PATIENCE_NANOS) {
                broken("it did not end within " + PATIENCE_NANOS / 1_000_000_000 + " s of its last packet");
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    /** Sends one packet. @return whether the kernel took all of it; otherwise the rest goes before the next one */
    private boolean send(ByteBuffer content) throws IOException {
        ByteBuf packet = Unpooled.buffer();
        PacketBuilder builder = new PacketBuilder(route.typeId()).flags(Anep.FLAG_DISCARD_UNKNOWN).payload(Unpooled.wrappedBuffer(content));
        if (udp || sequence == 0) {
            InetSocketAddress destination = new InetSocketAddress(route.host(), udp ? route.udpPort() : route.tcpPort());
            builder.options(new PacketOptions().destination(Identifier.of(destination.getAddress()))
                    .delivery(destination.getPort(), Delivery.ANEP).stream(id, sequence));
        }
        builder.writeTo(packet);
        rest = packet.nioBuffer();
        boolean taken = writeRest();
        if (udp && finished && !taken) {
            broken("the kernel did not take its last datagram");
        }
        return taken;
    }

    /** The half-close of TCP, or the end of UDP, follows the last octet. */
    private boolean writeRest() throws IOException {
        channel.write(rest);
        boolean taken = !rest.hasRemaining();
        key.interestOps(taken ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        if (taken && finished && udp) {
            complete();
        } else if (taken && finished) {
            ((SocketChannel) channel).shutdownOutput();
        }
        return taken;
    }

    /** Something can be read, written or connected. */
    void ready() {
        try {
            if (over) {
                return;
            }
            if (key.isConnectable()) {
                ((SocketChannel) channel).finishConnect();
                key.interestOps(SelectionKey.OP_READ);
            }
            if (key.isWritable()) {
                writeRest();
            }
            if (!over && key.isReadable()) {
                read();
            }
        } catch (IOException e) {
            broken(e.toString());
        }
    }

    private void read() throws IOException {
        int read = channel.read(answer.clear());
        if (read > 0) {
            String text = Refusal.text(answer.flip());
            broken(text.isEmpty() ? "it got " + read + " octets back, and nobody was to answer" : text);
        } else if (read < 0 && finished && !rest.hasRemaining()) {
            complete();
        } else if (read < 0) {
            broken("the node ended it before its last packet");
        }
    }

    /** Lets the next packet be the last. */
    void end(long now) {
        end = Math.min(end, now);
    }

    boolean hasFinished() {
        return finished;
    }

    /** Nothing more is sent or awaited. */
    boolean isOver() {
        return over;
    }

    /** It has ended as it was to. */
    private void complete() throws IOException {
        over = true;
        channel.close();
    }

    /** It has ended, and was not to. */
    private void broken(String why) {
        broken = broken == null ? why : broken;
        try {
            complete();
        } catch (IOException e) {
            broken += "; and could not be closed: " + e;
        }
    }

    SentStream account() {
        return new SentStream(id, udp, lasting, sequence, broken);
    }
}
